import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../../../src/platform/database/open.ts'
import { secretOfSeed } from '../../../../src/stellar/accounts/signer.ts'
import { bareDatabase, freshDatabase } from '../../../support/postgres.ts'
import { svcProgram } from '../../../support/programs/program-path.ts'
import { startPromptLocalnet } from '../../../support/prompt-localnet.ts'

const bare = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0' }
const secret = secretOfSeed(randomBytes(32))

function facilitator(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [svcProgram(), 'facilitator'], {
    env: { ...bare, TESTNET_SPONSOR_SECRET: secret, ...env },
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
    if (url !== undefined) return { url, adminUrl }
  }
  throw new Error('it ended before it listened')
}

describe('svc facilitator', () => {
  test('refuses a store that no other replica can read', async () => {
    using process = facilitator({ STORE: 'memory', TESTNET_RPC_URL: 'https://rpc.example' })
    const { code, err } = await endOf(process.child)
    expect(code).toBe(78)
    expect(err).toMatch(/STORE must be postgres/)
  })

  test('refuses a database with an older schema, and does not change it', async () => {
    await using database = await bareDatabase()
    const env = { DATABASE_URL: database.url, TESTNET_RPC_URL: 'https://rpc.example' }
    using process = facilitator(env)
    const { code, err } = await endOf(process.child)
    expect(code).toBe(1)
    expect(err).toMatch(
      /^svc facilitator: the database lacks 0001.*: run svc migrate of this version first\n$/,
    )
    await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 1 })
    expect(await store.pendingMigrations()).not.toEqual([])
  })

  test('a process without a channel gets no requests until it has one, and creates none', async () => {
    await using database = await freshDatabase()
    const localnet = await startPromptLocalnet()
    await using _ = { [Symbol.asyncDispose]: () => localnet.close() }
    using process = facilitator({ DATABASE_URL: database.url, TESTNET_RPC_URL: localnet.httpUrl })

    const { url, adminUrl } = await listening(process.child)
    const ready = await fetch(`${adminUrl}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toEqual({
      ready: false,
      checks: {
        store: { ok: true },
        schema: { ok: true },
        draining: { ok: true },
        settle: {
          ok: false,
          detail: expect.stringMatching(
            /^no payment could be settled yet: stellar:testnet: sponsor G\w+ does not exist on the ledger$/,
          ),
        },
      },
    })
    expect((await fetch(`${url}/supported`)).status).toBe(200)
  })

  test('a running process gets no further requests once a newer version removed what it uses', async () => {
    await using database = await freshDatabase()
    const env = { DATABASE_URL: database.url, TESTNET_RPC_URL: 'https://127.0.0.1:9' }
    using process = facilitator(env)
    const { adminUrl } = await listening(process.child)
    const schema = async () => {
      const answer = await fetch(`${adminUrl}/readyz`)
      const { checks } = (await answer.json()) as { checks: Record<string, unknown> }
      return checks['schema']
    }
    await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 1 })
    const record = (name: string) =>
      sql`insert into kysely_migration (name, timestamp) values (${name}, 'now')`.execute(store.db)
    await record('9998-more')
    expect(await schema()).toEqual({ ok: true })
    await record('9999-contract-9998-less')
    expect(await schema()).toEqual({
      ok: false,
      detail: expect.stringMatching(
        /^the database has 9999-contract-9998-less, which this version does not know/,
      ),
    })
  })
})
