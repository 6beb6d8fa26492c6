/** The Rust tests of the settlement contract, where cargo is installed; `make test-contract` runs them too. */
import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { projectRoot } from '../../support/image-files.ts'

const run = promisify(execFile)

/** Outside the checkout, so that other checkouts need not compile the libraries again. */
const targetFolder = () =>
  process.env['CARGO_TARGET_DIR'] ??
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'svc', 'contract-target')

const cargo = (...args: readonly string[]) =>
  run('cargo', args, {
    cwd: join(projectRoot, 'contracts/upto'),
    maxBuffer: 64 * 1024 * 1024,
    // Tests download nothing, neither a toolchain nor libraries.
    env: {
      ...process.env,
      CARGO_TARGET_DIR: targetFolder(),
      CARGO_NET_OFFLINE: 'true',
      RUSTUP_AUTO_INSTALL: '0',
    },
  })

interface Failure {
  readonly code?: unknown
  readonly stdout?: string
  readonly stderr?: string
}

const outputOf = (failure: Failure): string => `${failure.stderr ?? ''}${failure.stdout ?? ''}`

/** Two CPU minutes where nothing is compiled yet, otherwise seconds. */
test('of the settlement contract pass', { timeout: 900_000 }, async ({ skip }) => {
  try {
    await cargo('--version')
  } catch (error) {
    const output = outputOf(error as Failure).trim() || 'it is not installed'
    return skip(`the Rust tests need cargo: ${output.split('\n')[0]}`)
  }
  const { stdout } = await cargo('test', '--locked', '--quiet').catch((error: Failure) => {
    const output = outputOf(error)
    if (output.includes('--offline')) {
      return skip('make test-contract has to download the libraries of the Rust tests first')
    }
    throw new Error(output, { cause: error })
  })
  expect(stdout).toMatch(/test result: ok\. \d\d+ passed; 0 failed/)
})
