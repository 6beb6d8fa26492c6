import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet, payment } from '../../support/payments.ts'
import { bareDatabase, freshDatabase } from '../../support/postgres.ts'
import { svcProgram } from '../../support/programs/program-path.ts'
import type { Stack } from '../../support/stack.ts'

const patience = { timeout: 120_000, interval: 50 }

function explorer(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [svcProgram(), 'explorer'], {
    env: { HOST: '127.0.0.1', EXPLORER_PORT: '0', ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, [Symbol.dispose]: () => child.kill('SIGKILL') }
}

async function endOf(child: ChildProcess): Promise<{ code: unknown; err: string }> {
  const err = child.stderr ? text(child.stderr) : Promise.resolve('')
  const [code] = await once(child, 'exit')
  return { code, err: await err }
}

async function listening({ stdout }: ChildProcess): Promise<{ url: string; adminUrl: string }> {
  if (!stdout) throw new Error('standard output is not piped')
  for await (const line of createInterface(stdout)) {
    const { url, adminUrl } = JSON.parse(line)
    if (url === undefined) continue
    stdout.resume()
    return { url, adminUrl }
  }
  throw new Error('it ended before it listened')
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came over the wire
const jsonOf = async (url: string): Promise<any> => (await fetch(url)).json()
const feedOf = async (url: string): Promise<readonly string[]> =>
  (await jsonOf(`${url}/feed`)).items.map(({ txHash }: { txHash: string }) => txHash)
const ingesting = async ({ adminUrl }: { adminUrl: string }) =>
  /^svc_explorer_ingesting (\d)$/m.exec(await (await fetch(`${adminUrl}/metrics`)).text())?.[1]

async function pay(stack: Stack): Promise<string> {
  const payer = await openWallet(stack.localnet)
  const { address: payTo } = await openWallet(stack.localnet)
  const settled = await stack.post('/settle', await payment(stack.localnet, { payer, payTo }))
  expect(settled.body).toMatchObject({ success: true })
  return settled.body.transaction
}

describe('svc explorer', () => {
  test('refuses a store in memory, and a database with an older schema', async () => {
    await using database = await bareDatabase()
    using inMemory = explorer({ STORE: 'memory', TESTNET_RPC_URL: 'https://rpc.example' })
    const env = { DATABASE_URL: database.url, TESTNET_RPC_URL: 'https://rpc.example' }
    using onOlder = explorer(env)
    const [memory, older] = await Promise.all([endOf(inMemory.child), endOf(onOlder.child)])

    expect(memory).toMatchObject({ code: 78, err: expect.stringMatching(/STORE must be postgres/) })
    expect(older.code).toBe(1)
    expect(older.err).toMatch(
      /^svc explorer: the database lacks 0001.*: run svc migrate of this version first\n$/,
    )
  })

  test('one reads the ledger and all serve; after kill -9 the other takes over; a replica is only read', async () => {
    await using database = await freshDatabase()
    await using replica = await freshDatabase()
    await using stack = await openPaymentStack()
    const env = { DATABASE_URL: database.url, TESTNET_RPC_URL: stack.localnet.httpUrl }
    using first = explorer({ ...env, EXPLORER_DATABASE_URL: replica.url })
    const one = await listening(first.child)
    await vi.waitFor(async () => expect(await ingesting(one)).toBe('1'), patience)
    using second = explorer(env)
    const other = await listening(second.child)

    const before = await pay(stack)
    await vi.waitFor(async () => expect(await feedOf(other.url)).toEqual([before]), patience)
    expect(await ingesting(other)).toBe('0')
    // The first has written it to the database, and reads another one.
    expect(await feedOf(one.url)).toEqual([])
    expect((await fetch(`${other.url}/ui/payments`)).status).toBe(200)
    expect(await jsonOf(`${other.url}/ready`)).toMatchObject({ ready: true })
    expect(await jsonOf(`${other.adminUrl}/readyz`)).toMatchObject({ ready: true })
    expect(await jsonOf(`${other.url}/settle`)).toMatchObject({ code: 'explorer_not_found' })

    first.child.kill('SIGKILL')
    const after = await pay(stack)
    await vi.waitFor(async () => expect(await feedOf(other.url)).toEqual([after, before]), patience)
    expect(await ingesting(other)).toBe('1')
    expect((await jsonOf(`${other.url}/stats`)).totalPayments).toBe(2)

    second.child.kill('SIGTERM')
    expect((await endOf(second.child)).code).toBe(0)
  })
})
