import { decimalAmount, unitsOfDecimal } from './decimal.ts'

declare const unit: unique symbol

/** An amount of US dollars in ten-millionths, so that sums of prices are exact. */
export type UsdUnits = bigint & { readonly [unit]: 'ten-millionths of a US dollar' }

const DECIMALS = 7

export const asUsdUnits = (value: bigint): UsdUnits => value as UsdUnits

/** Reads a decimal number of US dollars with at most 7 decimals. Throws RangeError on anything else. */
export function usdFromDecimal(dollars: string): UsdUnits {
  const units = unitsOfDecimal(dollars, DECIMALS)
  if (units === undefined) throw new RangeError(`not an amount of US dollars: ${dollars}`)
  return asUsdUnits(units)
}

/** With the fewest digits: `0.001`. */
export const decimalUsd = (amount: UsdUnits): string => decimalAmount(amount, DECIMALS)
