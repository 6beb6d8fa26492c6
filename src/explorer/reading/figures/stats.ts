import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Stats } from '../../records.ts'
import { readIngest } from '../../store/ingest/read-ingest.ts'
import { readFirstPayment } from '../../store/payments/read-first-payment.ts'
import { inSnapshot } from '../../store/stats/read-snapshot.ts'
import { readTotals } from '../../store/stats/read-totals.ts'
import { readUniqueCounts } from '../../store/stats/read-unique-counts.ts'
import type { Window } from '../../store/tables.ts'
import type { ReadDeps } from '../deps.ts'
import { aggregateBlock, firstAndLast } from './aggregate.ts'

/** Headline numbers and how far the ledger was read, at one moment of the database. */
export async function statsOf(
  { db, networks }: ReadDeps,
  { network, window }: { readonly network?: NetworkId; readonly window?: Window },
): Promise<Stats> {
  const served = network === undefined ? networks : networks.filter((each) => each === network)
  const { totals, unique, firstAt, ingest } = await inSnapshot(db, async (snapshot) => ({
    totals: await readTotals(snapshot, { network }),
    unique: await readUniqueCounts(snapshot, network),
    firstAt: window && (await readFirstPayment(snapshot, window, network)),
    ingest: await readIngest(snapshot, served),
  }))
  const span = window ?? 'all'
  const {
    firstPaymentAt: _first,
    lastPaymentAt: _last,
    ...block
  } = aggregateBlock(totals, span, {
    buyers: unique.buyers[span],
    sellers: unique.sellers[span],
  })
  const hasPayments = block.totalPayments > 0
  return {
    ...block,
    ...(hasPayments &&
      firstAndLast({
        firstAt: firstAt === undefined ? totals.all.firstAt : firstAt,
        lastAt: totals.all.lastAt,
      })),
    networks: [...served],
    ingest: [...ingest],
    ...(window !== undefined && { window }),
  }
}
