import { decimalAmount } from './stroops.ts'

declare const unit: unique symbol

/** An amount of US dollars in ten-millionths, so that sums of prices are exact. */
export type UsdUnits = bigint & { readonly [unit]: 'ten-millionths of a US dollar' }

const DECIMALS = 7

export const asUsdUnits = (value: bigint): UsdUnits => value as UsdUnits

/** Reads a decimal number of US dollars with at most 7 decimals. Throws RangeError on anything else. */
export function usdFromDecimal(dollars: string): UsdUnits {
  const match = /^(?<whole>\d+)(?:\.(?<part>\d{1,7}))?$/.exec(dollars)
  if (!match?.groups) throw new RangeError(`not an amount of US dollars: ${dollars}`)
  const { whole = '', part = '' } = match.groups
  return asUsdUnits(BigInt(whole + part.padEnd(DECIMALS, '0')))
}

/** The fewest digits that say the amount: `0.001`. */
export const decimalUsd = (amount: UsdUnits): string => decimalAmount(amount, DECIMALS)
