import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { Seller } from '../../records.ts'
import { type OwnListing, readOwnListings } from '../../store/registry/own-listings.ts'
import { readSeller, type SellerConduct } from '../../store/stats/read-sellers.ts'
import { inSnapshot } from '../../store/stats/read-snapshot.ts'
import { type GroupedTotals, noGroupedTotals, readTotals } from '../../store/stats/read-totals.ts'
import { feedPage } from '../feed.ts'
import { aggregateBlock } from '../figures/aggregate.ts'
import { shareOf } from '../figures/share.ts'
import { sellerNames } from './sellers.ts'

const PAYMENTS = 25
const RESOURCES = 100

interface Found {
  readonly rows: readonly SellerConduct[]
  readonly totals: GroupedTotals
  readonly feed: Awaited<ReturnType<typeof feedPage>>
  readonly resources: readonly OwnListing[]
}

/** Everything about an address as a seller; zeros for one that was never paid. */
export async function sellerOf(db: Db, payTo: string, network?: NetworkId): Promise<Seller> {
  const { rows, totals, feed, resources } = await inSnapshot(db, (snapshot) =>
    find(snapshot, payTo, network),
  )
  const sum = (value: (row: SellerConduct) => number) =>
    rows.reduce((total, row) => total + value(row), 0)
  const stats = aggregateBlock(totals, 'all', {
    buyers: sum(({ buyers }) => buyers),
    sellers: rows.filter(({ payments }) => payments > 0).length,
  })
  const topBuyer = rows
    .flatMap((row) => row.topBuyer ?? [])
    .toSorted((a, b) => b.payments - a.payments)[0]
  const named = rows.find(({ registered }) => registered)
  return {
    payTo,
    stats,
    payments: feed.items,
    conduct: {
      selfPayments: sum(({ selfPayments }) => selfPayments),
      ...(topBuyer && {
        topBuyer: { ...topBuyer, share: shareOf(topBuyer.payments, stats.totalPayments) },
      }),
    },
    ...(named && sellerNames(named)),
    ...(resources.length > 0 && { resources: resources.map(resourceOf) }),
    ...(feed.nextCursor !== undefined && { nextCursor: feed.nextCursor }),
  }
}

const resourceOf = ({ network, method, resource, serviceName }: OwnListing) => ({
  ...{ network, method, resource },
  ...(serviceName !== null && { serviceName }),
})

async function find(db: Db, payTo: string, network: NetworkId | undefined): Promise<Found> {
  const rows = await readSeller(db, payTo, network)
  const [first] = rows
  const feed = { items: [] }
  if (!first) return { rows, totals: noGroupedTotals, feed, resources: [] }
  return {
    rows,
    totals: await readTotals(db, { network }, first.seller),
    feed: await feedPage(db, { seller: payTo, ...(network && { network }) }, { limit: PAYMENTS }),
    resources: await readOwnListings(
      db,
      rows.flatMap(({ network: id, resourceCount }) =>
        resourceCount > 0 ? { network: id, payTo } : [],
      ),
      RESOURCES,
    ),
  }
}
