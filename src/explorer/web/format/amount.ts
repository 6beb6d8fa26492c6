/** Up to here the digits before the point are written out; a total of more is shortened to a power of ten. */
const MAX_WHOLE_DIGITS = 15

/** A decimal with separators of thousands and without zeros at its end: `1,234.5`. Every digit of the value is there. */
export function exactAmount(decimal: string): string {
  const [whole = '0', part = ''] = decimal.split('.')
  const rest = part.replace(/0+$/, '')
  return rest === '' ? group(whole) : `${group(whole)}.${rest}`
}

/**
 * A decimal as a person reads it at a glance: two digits after the point, more below 1 so that four digits say something.
 * Further digits are cut off and not rounded up: a total never reads as more than it is.
 */
export function readableAmount(decimal: string): string {
  const [whole = '0', part = ''] = decimal.split('.')
  if (whole.length > MAX_WHOLE_DIGITS) return powerOfTen(whole)
  const digits = whole === '0' ? leadingZeros(part) + 4 : 2
  return exactAmount(`${whole}.${part.slice(0, digits)}`)
}

const leadingZeros = (part: string): number => /^0*/.exec(part)?.[0].length ?? 0

const group = (whole: string): string => whole.replace(/\B(?=(\d{3})+$)/g, ',')

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** `1.70 × 10³²` */
function powerOfTen(whole: string): string {
  const exponent = String(whole.length - 1).replaceAll(
    /\d/g,
    (digit) => superscripts[Number(digit)]!,
  )
  return `${whole[0]}.${whole.slice(1, 3)} × 10${exponent}`
}
