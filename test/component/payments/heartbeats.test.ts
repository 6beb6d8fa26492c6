import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { listLiveReplicas } from '../../../src/payments/store/replica-heartbeats.ts'
import { openStore } from '../../../src/platform/database/open.ts'
import { openWallet, payment } from '../../support/payments.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { type Stack, startStack } from '../../support/stack.ts'

const patience = { timeout: 120_000, interval: 20 }

const timings = { heartbeatMs: 20 }

const live = ({ store, sponsor }: Stack) =>
  listLiveReplicas(store.db, { network: 'stellar:testnet', sponsor: sponsor.address })

async function openStack(poolSize = 10) {
  const database = await freshDatabase()
  const store = { kind: 'postgres', url: database.url, poolSize } as const
  const stack = await startStack({ closeEveryMs: 'on-send', store, timings })
  return { database, stack }
}

const heartbeatErrors = async ({ baseUrl }: Stack): Promise<number> => {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  return Number(/^svc_background_errors_total\{task="heartbeat"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

describe('the heartbeats of a facilitator', { timeout: 240_000 }, () => {
  test('show each replica while it serves, and none that has stopped in good order', async () => {
    const { database, stack } = await openStack()
    await using _database = database
    await using _stack = stack
    await expect.poll(async () => (await live(stack)).length, patience).toBe(1)
    const replica = await stack.replica()
    await expect.poll(async () => (await live(stack)).length, patience).toBe(2)
    await replica[Symbol.asyncDispose]()
    expect(await live(stack)).toHaveLength(1)
    await stack.facilitator[Symbol.asyncDispose]()
    expect(await live(stack)).toEqual([])
  })

  test('are repeated, which the clock of the database shows', async () => {
    const { database, stack } = await openStack()
    await using _database = database
    await using _stack = stack
    const seen = async () => {
      const rows = await stack.store.db.selectFrom('replica_heartbeats').selectAll().execute()
      return rows[0]?.seen_at.getTime() ?? 0
    }
    await expect.poll(seen, patience).toBeGreaterThan(0)
    const first = await seen()
    await expect.poll(seen, patience).toBeGreaterThan(first)
  })

  test('that cannot be written are logged and counted, and payments go on', async () => {
    const { database, stack } = await openStack()
    await using _database = database
    await using _stack = stack
    await sql`drop table replica_heartbeats`.execute(stack.store.db)
    await expect.poll(() => heartbeatErrors(stack), patience).toBeGreaterThan(0)
    const payer = await openWallet(stack.localnet)
    const { address: payTo } = await openWallet(stack.localnet)
    const body = await payment(stack.localnet, { payer, payTo })
    expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
  })
  test('that wait for a lock leave the only connection to payments', async () => {
    const { database, stack } = await openStack(1)
    await using _database = database
    await using _stack = stack
    const payer = await openWallet(stack.localnet)
    const { address: payTo } = await openWallet(stack.localnet)
    const body = await payment(stack.localnet, { payer, payTo })
    await using other = await openStore({ kind: 'postgres', url: database.url, poolSize: 2 })
    const isWaiting = async () => {
      const { rows } = await sql`select from pg_locks
        where relation = 'replica_heartbeats'::regclass and not granted`.execute(other.db)
      return rows.length > 0
    }
    const settled = await other.db.transaction().execute(async (transaction) => {
      // Otherwise the server would end this transaction, which is idle while the payment is settled.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
      await sql`lock table replica_heartbeats in access exclusive mode`.execute(transaction)
      await expect.poll(isWaiting, patience).toBe(true)
      return stack.post('/settle', body)
    })
    expect(settled.body).toMatchObject({ success: true })
    await expect.poll(async () => (await live(stack)).length, patience).toBe(1)
  })
})
