import type { NetworkId } from '../../../platform/core/caip2.ts'
import { isoTime } from '../../../platform/core/text/iso-time.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { Ecosystem } from '../../records.ts'
import { readFacilitators } from '../../store/stats/read-facilitators.ts'
import { readSellers, type SellerRow } from '../../store/stats/read-sellers.ts'
import { inSnapshot } from '../../store/stats/read-snapshot.ts'
import { type GroupedTotals, readTotals } from '../../store/stats/read-totals.ts'
import { readUniqueCounts, type UniqueCounts } from '../../store/stats/read-unique-counts.ts'
import { readVolumes, type SellerVolume } from '../../store/stats/read-volumes.ts'
import type { Window } from '../../store/tables.ts'
import { compareText } from '../compare-text.ts'
import type { ReadDeps } from '../deps.ts'
import { facilitatorShares } from '../facilitators.ts'
import { aggregateBlock, assetTotal, assetTotals, MAX_ASSETS, timeOf } from './aggregate.ts'

const TOP_SELLERS = 10

/** A snapshot of everything, at one moment of the database. */
export async function ecosystemOf(deps: ReadDeps, network?: NetworkId): Promise<Ecosystem> {
  const { networks, watchedAssets } = deps
  const { totals, unique, known, top, volumes } = await inSnapshot(deps.db, (snapshot) =>
    readAll(snapshot, network),
  )
  const window = (name: Window) => windowEntry(totals, unique, name)
  const served = network === undefined ? networks : networks.filter((each) => each === network)
  return {
    generatedAt: isoTime(deps.clock.now()),
    networks: [...served],
    coverage: served.map((each) => ({
      network: each,
      watchedSacs: watchedAssets[each] ? [...watchedAssets[each]] : 'all',
    })),
    totals: aggregateBlock(totals, 'all', {
      buyers: unique.buyers.all,
      sellers: unique.sellers.all,
    }),
    windows: { '24h': window('24h'), '7d': window('7d'), '30d': window('30d') },
    facilitators: facilitatorShares(totals, known).filter(({ payments }) => payments > 0),
    topSellers: top.map((seller) => topSeller(seller, volumes)),
  }
}

async function readAll(db: Db, network: NetworkId | undefined) {
  const top = await readSellers(db, { network, span: '30d', limit: TOP_SELLERS, offset: 0 })
  const active = top.filter(({ payments }) => payments > 0)
  const ids = [...new Set(active.map(({ seller }) => seller))]
  return {
    top: active,
    volumes: await readVolumes(db, ids, '30d'),
    totals: await readTotals(db, { network }),
    unique: await readUniqueCounts(db, network),
    known: await readFacilitators(db),
  }
}

const windowEntry = (
  totals: GroupedTotals,
  unique: UniqueCounts,
  window: Window,
): Ecosystem['windows'][Window] => ({
  payments: totals.all.payments[window],
  uniqueBuyers: unique.buyers[window],
  uniqueSellers: unique.sellers[window],
  newBuyers: unique.newBuyers[window],
  newSellers: unique.newSellers[window],
  volume: assetTotals(totals.byAsset, window),
})

const topSeller = (
  { network, seller, payTo, payments, buyers, lastAt, serviceName }: SellerRow,
  volumes: readonly SellerVolume[],
): Ecosystem['topSellers'][number] => ({
  network,
  payTo,
  payments,
  uniqueBuyers: buyers,
  volume: volumes
    .filter((volume) => volume.network === network && volume.seller === seller)
    .sort((a, b) => b.payments - a.payments || compareText(a.asset.contract, b.asset.contract))
    .slice(0, MAX_ASSETS)
    .map(assetTotal),
  lastPaymentAt: timeOf(lastAt ?? 0),
  ...(serviceName !== null && { serviceName }),
})
