import { expect, onTestFinished, test, vi } from 'vitest'
import { defaultIngestTimings } from '../../../../src/explorer/ingest/timings.ts'
import { upkeep } from '../../../../src/explorer/ingest/upkeep.ts'
import { WriteQueue } from '../../../../src/explorer/ingest/write-queue.ts'
import { acquireLease } from '../../../../src/explorer/store/ingest/lease.ts'
import { hourOf } from '../../../../src/explorer/store/ingest/position.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { paymentRow } from '../../../support/explorer/payment-rows.ts'
import { beginNetwork, ingestPayments } from '../../../support/explorer/seed-explorer.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

test('a clock that is ahead does not empty the windows', async () => {
  const store = await openEmptyStore()
  onTestFinished(() => store.close())
  const lease = await acquireLease(store.db, 'a', 60_000)
  if (!lease) throw new Error('the lease is free')
  const stop = new AbortController()
  const quiet = () => undefined
  await using _work = upkeep({
    ...{ db: store.db, lease, writes: new WriteQueue(), signal: stop.signal },
    ...{ log: { info: quiet, warn: quiet, error: quiet }, timings: defaultIngestTimings },
    clock: { ...systemClock, now: () => Date.now() + 40 * 86_400_000 },
  })
  const readFrom = () =>
    store.db.selectFrom('explorer_windows').select('from_24h').executeTakeFirst()
  await vi.waitFor(async () => expect((await readFrom())?.from_24h).toBeGreaterThan(0), 120_000)
  expect((await readFrom())?.from_24h).toBeLessThanOrEqual(hourOf(Date.now() / 1_000) - 24)
})

test('old payments are deleted although many signers have changed', async () => {
  const store = await openEmptyStore()
  onTestFinished(() => store.close())
  const closedAt = Math.floor(Date.now() / 1_000) - 100 * 86_400
  const epoch = await beginNetwork(
    store.db,
    'stellar:testnet',
    { ledger: 1, closedAt },
    new Date(0),
  )
  // Each signer is looked at twice: more looks than a round has.
  const signers = Array.from({ length: 30 }, (_, n) => `GSIGNER${n}`)
  const rows = signers.map((txSource) => paymentRow(txSource, { ledger: 2, closedAt, txSource }))
  await ingestPayments(store.db, epoch, rows)
  const latest = { ledger: 3, closedAt: Math.floor(Date.now() / 1_000) }
  await ingestPayments(store.db, epoch, [paymentRow('latest', latest)])
  await store.db
    .insertInto('explorer_moves')
    .values(
      signers.map((address) => ({ network: 'stellar:testnet', address, below_position: null })),
    )
    .execute()
  const lease = await acquireLease(store.db, 'a', 60_000)
  if (!lease) throw new Error('the lease is free')
  const stop = new AbortController()
  const deleted: unknown[] = []
  const quiet = () => undefined
  await using _work = upkeep({
    ...{ db: store.db, lease, writes: new WriteQueue(), signal: stop.signal, retentionDays: 31 },
    log: {
      ...{ warn: quiet, error: quiet },
      info: (facts: unknown) => {
        deleted.push(facts)
        stop.abort()
      },
    },
    ...{ timings: defaultIngestTimings, clock: systemClock },
  })
  await vi.waitFor(() => expect(deleted).toHaveLength(1), 120_000)
  const left = await store.db.selectFrom('explorer_moves').select('address').execute()
  expect(left.length).toBeGreaterThan(0)
})
