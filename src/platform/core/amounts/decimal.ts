/** Renders base units as a decimal with the fewest digits: `decimalAmount(100000n, 7)` is `0.01`. */
export function decimalAmount(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return part === '' ? `${sign}${whole}` : `${sign}${whole}.${part}`
}

/** Base units of a decimal without a sign; undefined when it is none or has more than `decimals` decimals. */
export function unitsOfDecimal(text: string, decimals: number): bigint | undefined {
  const match = /^(?<whole>\d+)(?:\.(?<part>\d+))?$/.exec(text)
  const { whole = '', part = '' } = match?.groups ?? {}
  if (!match || part.length > decimals) return undefined
  return BigInt(whole + part.padEnd(decimals, '0'))
}
