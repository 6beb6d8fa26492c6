import type { Db } from '../../../platform/database/schema.ts'
import type { ExplorerReads } from '../../reads.ts'
import type { SellerEntry, Sellers } from '../../records.ts'
import { countSellers } from '../../store/figures/count-sellers.ts'
import type { Span } from '../../store/figures/spans.ts'
import { readSellers, type SellerRow } from '../../store/stats/read-sellers.ts'
import { inSnapshot } from '../../store/stats/read-snapshot.ts'
import { readVolumes, type SellerVolume } from '../../store/stats/read-volumes.ts'
import { assetNames, decimalOf, decimalsOf } from '../asset.ts'
import { compareText } from '../compare-text.ts'
import { MAX_ASSETS, timeOf } from '../figures/aggregate.ts'

/** A page of the directory of sellers. */
export async function sellersPage(
  db: Db,
  options: Parameters<ExplorerReads['sellers']>[0],
): Promise<Sellers> {
  const { network, window, registered, limit, offset } = options
  const span: Span = window ?? 'all'
  const query = { network, span, registered, limit, offset }
  const { sellers, volumes, total } = await inSnapshot(db, async (snapshot) => {
    const count = await countSellers(snapshot, query)
    // An offset behind the end would rank every seller for nothing.
    const page = offset < count ? await readSellers(snapshot, query) : []
    const ids = [...new Set(page.map(({ seller }) => seller))]
    return {
      sellers: page,
      volumes: await readVolumes(snapshot, ids, span),
      total: count,
    }
  })
  const byPlace = Map.groupBy(volumes, placeOf)
  return {
    items: sellers.map((seller) => sellerEntry(seller, byPlace.get(placeOf(seller)) ?? [])),
    pagination: { total, limit, offset },
    ...(window !== undefined && { window }),
  }
}

const placeOf = ({ network, seller }: Pick<SellerRow, 'network' | 'seller'>) =>
  `${network} ${seller}`

const sellerEntry = (seller: SellerRow, volumes: readonly SellerVolume[]): SellerEntry => ({
  payTo: seller.payTo,
  network: seller.network,
  registered: seller.registered,
  payments: seller.payments,
  uniqueBuyers: seller.buyers,
  volume: sellerVolumes(volumes),
  ...(seller.firstAt !== null && { firstSeenAt: timeOf(seller.firstAt) }),
  ...(seller.lastAt !== null && { lastSeenAt: timeOf(seller.lastAt) }),
  ...sellerNames(seller),
  ...(seller.resourceCount > 0 && { resourceCount: seller.resourceCount }),
})

/** The seller's name, resource and description from a catalog. */
export const sellerNames = ({
  serviceName,
  resource,
  description,
}: Pick<SellerRow, 'serviceName' | 'resource' | 'description'>): Pick<
  SellerEntry,
  'serviceName' | 'resource' | 'description'
> => ({
  ...(serviceName !== null && { serviceName }),
  ...(resource !== null && { resource }),
  ...(description !== null && { description }),
})

/** More decimals than any token has. */
const FINEST = 255

/** Largest first, as people read amounts: in units of each asset. */
const sellerVolumes = (volumes: readonly SellerVolume[]): SellerEntry['volume'] =>
  volumes
    .map((volume) => ({ ...volume, comparable: comparableAmount(volume) }))
    .sort((a, b) =>
      a.comparable === b.comparable
        ? compareText(a.asset.contract, b.asset.contract)
        : a.comparable < b.comparable
          ? 1
          : -1,
    )
    .slice(0, MAX_ASSETS)
    .map(({ asset, amount }) => ({
      assetContract: asset.contract,
      ...assetNames(asset),
      total: amount,
      totalDecimal: decimalOf(amount, asset),
    }))

const comparableAmount = ({ amount, asset }: SellerVolume): bigint =>
  BigInt(amount) * 10n ** BigInt(FINEST - Math.min(decimalsOf(asset) ?? 0, FINEST))
