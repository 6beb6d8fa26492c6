import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeLedgers } from '../../../src/explorer/store/ingest/write-ledgers.ts'
import { moveNext } from '../../../src/explorer/store/registry/move-payments.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../src/platform/database/open.ts'
import { paymentRow } from '../../support/explorer/payment-rows.ts'
import { recount } from '../../support/explorer/recount.ts'
import { openEmptyStore } from '../platform/database/open-stores.ts'

const network = 'stellar:testnet'
const guard = async () => undefined

let store: Store
beforeAll(async () => {
  store = await openEmptyStore()
  const { id } = await store.db
    .insertInto('explorer_epochs')
    .values({ network, started_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow()
  // All of one position: the same second, and the same start of the hash.
  const payments = ['1', '2', '3', '4', '5'].map((digit) =>
    paymentRow(digit, { txHash: 'abcdef01'.padEnd(64, digit) }),
  )
  await inTransaction(store.db, (tx) =>
    writeLedgers(tx, { network, id }, [
      ...payments,
      paymentRow('paid by another', { txSource: 'GOTHER', feeSource: 'GCHANNEL' }),
    ]),
  )
  await store.db
    .insertInto('explorer_facilitators')
    .values({ id: 'other', source: 'announced', verified: true })
    .execute()
})
afterAll(() => store.close())

const claim = () =>
  store.db
    .insertInto('explorer_signers')
    .values({ network, address: 'GCHANNEL', facilitator: 'other' })
    .execute()
const counts = async () => {
  const { rows } = await sql<{ confidence: string; payments: bigint }>`
    select confidence, payments from explorer_kinds where payments > 0 order by confidence`.execute(
    store.db,
  )
  return rows.map(({ confidence, payments }) => `${confidence} ${payments}`)
}

test('a process that may not write any more moves nothing, and the move stays queued', async () => {
  await claim()
  const late = async () => {
    throw new Error('the lease is lost')
  }
  await expect(moveNext(store.db, late, 10)).rejects.toThrow('the lease is lost')
  expect(await counts()).toEqual(['x402-shaped 6'])
})

test('a chunk takes all payments of its last position, and the next one goes on behind it', async () => {
  expect(await moveNext(store.db, guard, 1)).toBe(true)
  expect(await counts()).toEqual(['verified-facilitator 5', 'x402-shaped 1'])
  while (await moveNext(store.db, guard, 1)) {}
  expect(await counts()).toEqual(['verified-facilitator 6'])
  expect(await recount(store.db)).toEqual([])
})

test('the signers of a deleted facilitator are nobody known any more', async () => {
  await store.db.deleteFrom('explorer_facilitators').where('id', '=', 'other').execute()
  while (await moveNext(store.db, guard, 2)) {}
  expect(await counts()).toEqual(['x402-shaped 6'])
  expect(await recount(store.db)).toEqual([])
})

test('a signer that submitted nothing leaves the queue', async () => {
  await store.db.insertInto('explorer_facilitators').values({ id: 'own', source: 'own' }).execute()
  await store.db
    .insertInto('explorer_signers')
    .values(['GA', 'GB'].map((address) => ({ network, address, facilitator: 'own' }) as const))
    .execute()
  expect(await moveNext(store.db, guard, 10)).toBe(false)
  expect(await store.db.selectFrom('explorer_moves').selectAll().execute()).toEqual([])
})
