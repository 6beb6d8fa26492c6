import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { output } from '../../tools/image/command.ts'
import { describeInstalled } from './install.ts'
import { oldestNode } from './support/runtimes.ts'

const { folder } = inject('installed')
/** Each is large, and no entry point runs it. */
const unwanted =
  /node_modules\/(@x402|@kubernetes|@resvg|@modelcontextprotocol|dejavu-fonts-ttf|express|viem)\b/

describeInstalled(oldestNode)

it('an importer does not install what only commands need', () => {
  const list = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const installed = Object.keys(JSON.parse(list).packages)
  expect(installed.filter((path) => unwanted.test(path))).toEqual([])
  // 119 when this was written: each is one that somebody has to trust.
  expect(installed.length).toBeLessThan(150)
})

it('its texts name commands as they are typed in the project', async () => {
  const svc = join(folder, 'node_modules/.bin/svc')
  const options = { cwd: folder, env: { HOME: folder } }
  const run = (...args: string[]) => output(process.execPath, [svc, ...args], options)
  const refused = await run('pay').catch(String)
  expect(refused).toContain('Start one in another terminal: ./node_modules/.bin/svc demo')
  expect(await run('demo', '--help')).not.toContain('make')
})
