import { expect, test } from 'vitest'
import { openReads } from '../../../../src/explorer/open-reads.ts'
import type { Stats } from '../../../../src/explorer/records.ts'
import { writeLedgers } from '../../../../src/explorer/store/ingest/write-ledgers.ts'
import { windows } from '../../../../src/explorer/store/tables.ts'
import { networkIds } from '../../../../src/platform/core/caip2.ts'
import { inTransaction } from '../../../../src/platform/database/in-transaction.ts'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'
import { fillPayments, NOW } from './world.ts'

const STEP_MS = 1_000
/** Several times as long as an answer is given again. */
const STEPS = 16

test('figures of a window or a network are never more than those that contain them, while payments arrive', async () => {
  await using store = await openEmptyStore()
  await fillPayments(store, { 'stellar:testnet': [], 'stellar:pubnet': [] })
  const epochs = await store.db.selectFrom('explorer_epochs').select(['id', 'network']).execute()
  let elapsedMs = 0
  const clock = {
    now: () => NOW + elapsedMs,
    monotonic: () => elapsedMs,
    sleep: () => Promise.resolve(),
  }
  const reads = openReads({ db: store.db, clock, networks: networkIds, watchedAssets: {} })
  const pay = async (step: number) => {
    for (const { network, id } of epochs) {
      const name = `${network} ${step}`
      const people = { buyer: `buyer of ${name}`, seller: `seller of ${name}` }
      const row = paymentRow(name, { closedAt: NOW / 1_000 - 60 + step, ...people })
      await inTransaction(store.db, (transaction) =>
        writeLedgers(transaction, { network, id }, [row]),
      )
    }
  }

  for (let step = 0; step < STEPS; step += 1) {
    const all = await reads.stats({})
    await pay(step)
    for (const window of [undefined, ...windows]) {
      for (const network of [undefined, ...networkIds]) {
        const part = await reads.stats({ ...(window && { window }), ...(network && { network }) })
        expect(within(countsOf(part), countsOf(all)), `${window} ${network}`).toBe(true)
      }
    }
    elapsedMs += STEP_MS
  }

  elapsedMs += 5_000
  const total = STEPS * networkIds.length
  const payments = { totalPayments: total, uniqueBuyers: total, uniqueSellers: total }
  expect(await reads.stats({})).toMatchObject(payments)
  expect(await reads.stats({ window: '24h' })).toMatchObject({ ...payments, window: '24h' })
})

const countsOf = (stats: Stats): readonly number[] => [
  ...[stats.totalPayments, stats.uniqueBuyers, stats.uniqueSellers],
  ...Object.values(stats.byConfidence),
  ...Object.values(stats.byScheme),
  stats.byAsset.reduce((sum, { count }) => sum + count, 0),
]

const within = (part: readonly number[], whole: readonly number[]): boolean =>
  part.every((count, at) => count <= (whole[at] ?? 0))
