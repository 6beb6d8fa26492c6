import type { SellerEntry } from '../../records.ts'
import type { SellerVolume } from '../../store/stats/read-volumes.ts'
import { classicNames, decimalOf, decimalsOf } from '../asset.ts'
import { compareText } from '../compare-text.ts'
import { MAX_ASSETS } from '../figures/aggregate.ts'

/** More decimals than any token has. */
const FINEST = 255

/** Largest first, as people read amounts: in units of each asset. */
export const sellerVolumes = (volumes: readonly SellerVolume[]): SellerEntry['volume'] =>
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
      ...classicNames(asset),
      total: amount,
      totalDecimal: decimalOf(amount, asset),
    }))

const comparableAmount = ({ amount, asset }: SellerVolume): bigint =>
  BigInt(amount) * 10n ** BigInt(FINEST - Math.min(decimalsOf(asset) ?? 0, FINEST))
