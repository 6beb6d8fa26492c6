import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { made } from '../../test/cluster/support/means.ts'
import { vaultProgram } from '../../test/support/vault/real-vault.ts'

/** `make test-vault`: builds a real Vault, unless an earlier run has, and tests with it what `make test` tests with a stand-in. */

const program = await vaultProgram(made)
if ('missing' in program) throw new Error(`no real Vault: ${program.missing}`)

const tests = ['run', '--project', 'component', 'test/component/signing/vault']
const vitest = spawn('vitest', tests, { stdio: 'inherit' })
const [code] = await once(vitest, 'close')
process.exitCode = code ?? 1
