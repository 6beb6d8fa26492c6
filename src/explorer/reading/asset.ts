import { decimalAmount } from '../../platform/core/amounts/decimal.ts'
import type { AssetFacts } from '../store/payments/read-payment-details.ts'

/** The network fixes the decimals of classic assets. */
const CLASSIC_DECIMALS = 7

/** Undefined while the contract was not asked, or gave no number. */
export const decimalsOf = ({ decimals, code }: AssetFacts): number | undefined =>
  decimals ?? (code === null ? undefined : CLASSIC_DECIMALS)

/** An amount in units of the asset; in base units while its decimals are not known. */
export const decimalOf = (amount: string, asset: AssetFacts): string =>
  decimalAmount(BigInt(amount), decimalsOf(asset) ?? 0)

/** Members of an answer that name a classic asset: `code:issuer`, and `native` as in SEP-11. */
export function classicNames({ code, issuer }: AssetFacts): { asset?: string; assetCode?: string } {
  if (code === null) return {}
  return { asset: issuer === null ? 'native' : `${code}:${issuer}`, assetCode: code }
}
