import type { NetworkId } from '../../core/caip2.ts'
import { readFirstPayment } from '../../store/explorer/read-first-payment.ts'
import { inSnapshot } from '../../store/explorer/read-snapshot.ts'
import { readTotals } from '../../store/explorer/read-totals.ts'
import { readUniqueCounts } from '../../store/explorer/read-unique-counts.ts'
import type { Window } from '../../store/explorer/tables.ts'
import type { Stats } from '../records.ts'
import { aggregateBlock, firstAndLast } from './aggregate.ts'
import type { ReadDeps } from './deps.ts'

/** Headline numbers and how far the ledger was read, at one moment of the database. */
export async function statsOf(
  { db, networks, readIngest }: ReadDeps,
  { network, window }: { readonly network?: NetworkId; readonly window?: Window },
): Promise<Stats> {
  const [totals, unique, firstAt] = await inSnapshot(db, async (snapshot) => [
    await readTotals(snapshot, { network }),
    await readUniqueCounts(snapshot, network),
    window === undefined ? undefined : await readFirstPayment(snapshot, window, network),
  ])
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
    networks: network === undefined ? [...networks] : networks.filter((each) => each === network),
    ingest: [...(await readIngest(network))],
    ...(window !== undefined && { window }),
  }
}
