import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dropOldPartitions } from '../../../src/explorer/store/ingest/drop-partitions.ts'
import { writeLedgers } from '../../../src/explorer/store/ingest/write-ledgers.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { StoreUnavailable } from '../../../src/platform/database/postgres/unavailable.ts'
import { paymentRow } from '../../support/explorer/payment-rows.ts'
import { beginNetwork } from '../../support/explorer/seed-explorer.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'

const network = 'stellar:testnet'
const guard = async () => undefined
const seconds = (date: string) => Date.parse(date) / 1_000
const july = paymentRow('july', { closedAt: seconds('2026-07-31T23:59:59Z') })
const august = paymentRow('august', { closedAt: seconds('2026-08-01T00:00:00Z') })
const november = paymentRow('november', { closedAt: seconds('2026-11-22T12:00:00Z') })

let store: Store
let epoch: { network: typeof network; id: number }
beforeAll(async () => {
  store = await openEmptyStore()
  const row = await store.db
    .insertInto('explorer_epochs')
    .values({ network, started_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow()
  epoch = { network, id: row.id }
})
afterAll(() => store.close())

const write = (...payments: Parameters<typeof writeLedgers>[2]) =>
  inTransaction(store.db, (tx) => writeLedgers(tx, epoch, payments))
const drop = (days: number, at: string) => dropOldPartitions(store.db, guard, days, seconds(at))
const readAll = async () => {
  const { rows } = await sql<{ ledger: number }>`select ledger from explorer_payments`.execute(
    store.db,
  )
  return rows.length
}

test('only months that are entirely older are dropped, and what they held stays counted once', async () => {
  await write(july, august, november)
  expect(await drop(30, '2026-08-30T00:00:00Z')).toEqual([])
  expect(await drop(30, '2026-08-31T00:00:00Z')).toEqual(['explorer_payments_2026_07'])
  expect(await readAll()).toBe(2)
  expect(await write(july, august)).toEqual([])
  const { payments, first_at } = await store.db
    .selectFrom('explorer_sellers')
    .select(['payments', 'first_at'])
    .executeTakeFirstOrThrow()
  expect({ payments, first_at }).toEqual({ payments: 3n, first_at: BigInt(july.closedAt) })
})

test('a reader is not waited for long, and nothing is dropped meanwhile', async () => {
  await inTransaction(store.db, async (reader) => {
    await sql`select from explorer_payments`.execute(reader)
    await expect(drop(30, '2026-11-30T00:00:00Z')).rejects.toThrow(StoreUnavailable)
  })
  expect(await readAll()).toBe(2)
  expect(await drop(30, '2026-11-30T00:00:00Z')).toEqual(['explorer_payments_2026_08'])
})

test('a process that may not write any more drops nothing', async () => {
  const late = async () => {
    throw new Error('the lease is lost')
  }
  const now = seconds('2027-11-30T00:00:00Z')
  await expect(dropOldPartitions(store.db, late, 30, now)).rejects.toThrow('the lease is lost')
  expect(await readAll()).toBe(1)
})

test('a clock that is ahead of the ledgers drops nothing that they still keep', async () => {
  await beginNetwork(
    store.db,
    network,
    { ledger: 1_000, closedAt: seconds('2026-11-22T12:00:00Z') },
    new Date(0),
  )
  expect(await drop(30, '2027-11-30T00:00:00Z')).toEqual([])
  expect(await readAll()).toBe(1)
})
