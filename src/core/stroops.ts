declare const unit: unique symbol
type Branded<T, Name extends string> = T & { readonly [unit]: Name }

/** An amount of the native currency in its smallest unit; 10,000,000 make one XLM. */
export type Stroops = Branded<bigint, 'stroops'>

const STROOPS_PER_LUMEN = 10_000_000n

export const asStroops = (value: bigint): Stroops => value as Stroops

/** Reads a decimal number of XLM with at most 7 decimals. Throws RangeError on anything else. */
export function stroopsFromLumens(lumens: string): Stroops {
  const match = /^(?<whole>\d+)(?:\.(?<part>\d{1,7}))?$/.exec(lumens)
  if (!match?.groups) throw new RangeError(`not an amount of lumens: ${lumens}`)
  const part = (match.groups['part'] ?? '').padEnd(7, '0')
  return asStroops(BigInt(match.groups['whole']!) * STROOPS_PER_LUMEN + BigInt(part))
}

/** Renders base units as a decimal with the fewest digits: `decimalAmount(100000n, 7)` is `0.01`. */
export function decimalAmount(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return part === '' ? `${sign}${whole}` : `${sign}${whole}.${part}`
}
