import { type NetworkId, networkIds } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { Stats } from '../../records.ts'
import { ofEachSpan, type Span } from '../../store/figures/spans.ts'
import { readIngest } from '../../store/ingest/read-ingest.ts'
import { type FirstPayment, readFirstPayments } from '../../store/payments/read-first-payments.ts'
import { inSnapshot } from '../../store/stats/read-snapshot.ts'
import { type GroupedTotals, readTotals } from '../../store/stats/read-totals.ts'
import { readUniqueCounts, type UniqueCounts } from '../../store/stats/read-unique-counts.ts'
import type { ReadDeps } from '../deps.ts'
import { aggregateBlock, firstAndLast } from './aggregate.ts'

/** By network, all of them under undefined, and by span. */
export type StatsSnapshot = ReadonlyMap<NetworkId | undefined, Readonly<Record<Span, Stats>>>

/**
 * Headline numbers and how far the ledger was read, at one moment of the database: those of a window or a network are
 * never more than those that contain them.
 */
export async function statsOf({ db, networks }: ReadDeps): Promise<StatsSnapshot> {
  const { figures, first, ingest } = await inSnapshot(db, async (snapshot) => ({
    figures: await readFigures(snapshot),
    first: await readFirstPayments(snapshot),
    ingest: await readIngest(snapshot, networks),
  }))
  return new Map(
    figures.map(({ network, totals, unique }) => {
      const isAsked = (each: { readonly network: NetworkId }) =>
        network === undefined || each.network === network
      const firstHere = first.filter(isAsked)
      const ingestHere = ingest.filter(isAsked)
      const read = {
        networks: ingestHere.map((each) => each.network),
        ingest: ingestHere,
      }
      return [
        network,
        ofEachSpan((span) => ({
          ...headline({ totals, unique, first: firstHere }, span),
          ...read,
        })),
      ]
    }),
  )
}

interface Figures {
  readonly totals: GroupedTotals
  readonly unique: UniqueCounts
}

async function readFigures(db: Db) {
  const figures: (Figures & { readonly network: NetworkId | undefined })[] = []
  for (const network of [undefined, ...networkIds]) {
    const totals = await readTotals(db, { network })
    figures.push({ network, totals, unique: await readUniqueCounts(db, network) })
  }
  return figures
}

function headline(
  { totals, unique, first }: Figures & { readonly first: readonly FirstPayment[] },
  span: Span,
): Omit<Stats, 'networks' | 'ingest'> {
  const {
    firstPaymentAt: _first,
    lastPaymentAt: _last,
    ...block
  } = aggregateBlock(totals, span, { buyers: unique.buyers[span], sellers: unique.sellers[span] })
  const { lastAt } = totals.all
  const inWindow = first.filter(({ window }) => window === span).map(({ at }) => at)
  const firstInWindow = inWindow.length > 0 ? Math.min(...inWindow) : null
  const firstAt = span === 'all' ? totals.all.firstAt : firstInWindow
  return {
    ...block,
    ...(block.totalPayments > 0 && firstAndLast({ firstAt, lastAt })),
    ...(span !== 'all' && { window: span }),
  }
}
