import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LocalnetServer, startLocalnet } from '../../../src/localnet/server.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/signer.ts'

const XLM = 10_000_000n

let localnet: LocalnetServer
let env: Record<string, string>

beforeAll(async () => {
  localnet = await startLocalnet({ closeEveryMs: 50 })
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  await localnet.pay({ address, asset: 'XLM', amount: 1_000n * XLM })
  env = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    STORE: 'memory',
    CHANNEL_COUNT: '2',
    TESTNET_RPC_URL: localnet.httpUrl,
    TESTNET_SPONSOR_SECRET: secretOfSeed(seed),
  }
})

afterAll(() => localnet.close())

/** `svc serve` as a process of its own; killed, if it still runs, when the test ends. */
function serve(changes: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['src/cli/svc.ts', 'serve'], {
    env: { ...env, ...changes },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, [Symbol.dispose]: () => child.kill('SIGKILL') }
}

/** The line of the log that says where the service listens. */
async function listening({ stdout }: ChildProcess): Promise<{ url: string; adminUrl: string }> {
  if (!stdout) throw new Error('standard output is not piped')
  const lines: string[] = []
  for await (const line of createInterface(stdout)) {
    const { url, adminUrl } = JSON.parse(line)
    if (url !== undefined) return { url, adminUrl }
    lines.push(line)
  }
  throw new Error(`the service ended before it listened:\n${lines.join('\n')}`)
}

describe('svc serve', () => {
  test('serves, says that it is ready, and stops with 0 when asked to', async () => {
    using process = serve()
    const { url, adminUrl } = await listening(process.child)

    expect((await fetch(`${url}/supported`)).status).toBe(200)
    expect((await fetch(`${url}/ready`)).status).toBe(200)
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('svc_process_')
    expect((await fetch(`${adminUrl}/livez`)).status).toBe(200)
    expect(await (await fetch(`${adminUrl}/readyz`)).json()).toEqual({
      ready: true,
      checks: { store: { ok: true }, schema: { ok: true }, draining: { ok: true } },
    })

    process.child.kill('SIGTERM')
    expect(await once(process.child, 'exit')).toEqual([0, null])
  })

  test('says in a sentence that its port is taken', async () => {
    using process = serve({ PORT: new URL(localnet.httpUrl).port })
    const [[code], errors] = await Promise.all([
      once(process.child, 'exit'),
      text(process.child.stderr),
      text(process.child.stdout),
    ])

    expect(code).toBe(1)
    expect(errors).toMatch(/^svc serve: port \d+ on 127\.0\.0\.1 is taken by another program\n$/)
  })

  test('says in a sentence that the network does not answer', async () => {
    using process = serve({ TESTNET_RPC_URL: 'http://127.0.0.1:1' })
    const [[code], errors] = await Promise.all([
      once(process.child, 'exit'),
      text(process.child.stderr),
      text(process.child.stdout),
    ])

    expect(code).toBe(1)
    expect(errors).toMatch(/^svc serve: .+\n$/)
  })
})
