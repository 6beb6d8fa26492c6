import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { AssetRecord } from '../records.ts'
import { type KnownAsset, readAssets } from '../store/stats/read-assets.ts'
import { inSnapshot } from '../store/stats/read-snapshot.ts'
import { type GroupedTotals, readTotals } from '../store/stats/read-totals.ts'
import { assetNames, decimalOf, decimalsOf } from './asset.ts'
import { firstAndLast, splitCounts } from './figures/aggregate.ts'

/**
 * Undefined for an asset that no payment has. Contracts of different networks have different addresses; should two be
 * the same, the one with more payments is answered.
 */
export async function assetRecord(
  db: Db,
  contract: string,
  network?: NetworkId,
): Promise<AssetRecord | undefined> {
  const found = await inSnapshot(db, async (snapshot) => {
    const known = await readAssets(snapshot, contract, network)
    return Promise.all(
      known.map(async (asset) => ({
        asset,
        totals: await readTotals(snapshot, { network: asset.network, asset: contract }),
      })),
    )
  })
  return found
    .sort((a, b) => b.totals.all.payments.all - a.totals.all.payments.all)
    .map(({ asset, totals }) => record(asset, totals))[0]
}

function record(asset: KnownAsset, totals: GroupedTotals): AssetRecord {
  const total = totals.byAsset[0]?.amount.all ?? '0'
  const { all: totalPayments, ...windows } = totals.all.payments
  const decimals = decimalsOf(asset)
  return {
    network: asset.network,
    assetContract: asset.contract,
    ...assetNames(asset),
    ...(decimals !== undefined && { decimals }),
    stats: {
      totalPayments,
      ...splitCounts(totals, 'all'),
      ...firstAndLast(totals.all),
      total,
      totalDecimal: decimalOf(total, asset),
      windows,
    },
  }
}
