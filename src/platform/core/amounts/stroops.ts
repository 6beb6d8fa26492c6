import { decimalAmount, unitsOfDecimal } from './decimal.ts'

declare const unit: unique symbol
type Branded<T, Name extends string> = T & { readonly [unit]: Name }

/** An amount of the native currency in its smallest unit; 10,000,000 make one XLM. */
export type Stroops = Branded<bigint, 'stroops'>

const DECIMALS = 7

export const asStroops = (value: bigint): Stroops => value as Stroops

/** Reads a decimal number of XLM with at most 7 decimals. Throws RangeError on anything else. */
export function stroopsFromLumens(lumens: string): Stroops {
  const units = unitsOfDecimal(lumens, DECIMALS)
  if (units === undefined) throw new RangeError(`not an amount of lumens: ${lumens}`)
  return asStroops(units)
}

/** Formats stroops as a decimal number of XLM with the fewest digits: `0.01`. */
export const decimalXlm = (stroops: bigint): string => decimalAmount(stroops, DECIMALS)

/** For sentences: `0.01 XLM`. */
export const formatXlm = (stroops: bigint): string => `${decimalXlm(stroops)} XLM`

const TENTH = 1_000_000n
const LUMEN = 10_000_000n

/** Rounded up to a tenth of an XLM: an amount to send. */
export const tenthsUp = (stroops: bigint): Stroops =>
  asStroops(((stroops + TENTH - 1n) / TENTH) * TENTH)

/**
 * Rounded down to whole XLM, below 100 XLM to three significant digits, for a person: a balance changes with every settlement. At least
 * zero.
 */
export function roundedXlm(stroops: bigint): Stroops {
  if (stroops <= 0n) return asStroops(0n)
  if (stroops >= 100n * LUMEN) return asStroops((stroops / LUMEN) * LUMEN)
  const step = 10n ** BigInt(Math.max(0, stroops.toString().length - 3))
  return asStroops((stroops / step) * step)
}
