/**
 * `make hostile`: runs every test that docs/threat-model.md names, so that what the page guarantees is shown in one run.
 * Arguments go to Vitest.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const page = readFileSync(new URL('../../docs/threat-model.md', import.meta.url), 'utf8')
const files = new Set([...page.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, file]) => file!))
if (files.size === 0) throw new Error('docs/threat-model.md names no test')

const vitest = spawn('vitest', ['run', ...files, ...process.argv.slice(2)], { stdio: 'inherit' })
const [code] = await once(vitest, 'exit')
process.exitCode = code ?? 1
