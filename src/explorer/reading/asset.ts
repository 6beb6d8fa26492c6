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

/**
 * Members of an answer that name an asset: `asset` of a classic one, `code:issuer` or `native` as in SEP-11, and the code. A token
 * of its own has the symbol that it reports as code, which is never `XLM` (`customFacts`), and no `asset`.
 */
export function assetNames({ code, issuer }: AssetFacts): { asset?: string; assetCode?: string } {
  if (code === null) return {}
  if (issuer !== null) return { asset: `${code}:${issuer}`, assetCode: code }
  return code === 'XLM' ? { asset: 'native', assetCode: code } : { assetCode: code }
}
