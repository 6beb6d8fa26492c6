import { createHash } from 'node:crypto'
import { type PaymentRow, writeLedgers } from '../../../src/explorer/store/ingest/write-ledgers.ts'
import { type NetworkId, networkIds } from '../../../src/platform/core/caip2.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Db } from '../../../src/platform/database/schema.ts'
import { monotonicMs } from '../monotonic.ts'
import type { Population } from './population.ts'

/**
 * Payments that the writer alone writes in a second, one transaction after the other.
 *
 * @param batch payments of a transaction
 */
export async function measureWrites(
  db: Db,
  population: Population,
  { payments, batch, from }: { payments: number; batch: number; from: number },
): Promise<number> {
  const random = mulberry(batch)
  const epochs = await db.selectFrom('explorer_epochs').select(['id', 'network']).execute()
  const ids = new Map(epochs.map(({ id, network }) => [network, id]))
  const batches = Array.from({ length: payments / batch }, (_, at) =>
    Array.from({ length: batch }, (__, place) =>
      newPayment(population, from + at * 5, `${batch} ${at} ${place}`, random),
    ),
  )
  const startedAt = monotonicMs()
  for (const [at, rows] of batches.entries()) {
    const network = networkIds[at % networkIds.length] as NetworkId
    const epoch = { network, id: ids.get(network) ?? 0 }
    await inTransaction(db, (transaction) => writeLedgers(transaction, epoch, rows))
  }
  return payments / ((monotonicMs() - startedAt) / 1_000)
}

function newPayment(
  { sellers, buyers, ...population }: Population,
  closedAt: number,
  name: string,
  random: () => number,
): PaymentRow {
  const rank = (count: number) => Math.floor(Math.exp(random() * Math.log(count + 1))) - 1
  return {
    scheme: 'exact',
    ledger: closedAt,
    closedAt,
    txHash: createHash('sha256').update(name).digest('hex'),
    seller: population.seller(rank(sellers)),
    buyer: population.buyer(rank(buyers)),
    amount: BigInt(Math.floor(random() * 1e7)),
    asset: population.asset(0),
    txSource: population.channel(0),
    feeCharged: 100_000n,
    sigExpirationLedger: 2_000_000,
  }
}

/** A small generator of numbers from 0 to 1, the same in every run. */
function mulberry(state: number): () => number {
  let a = state
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
