/*
 * Quantities in the canonical form of the API server: it stores `1024Mi` as `1Gi`, and a comparison of texts
 * would take that for a change by another writer. The rules are those of k8s.io/apimachinery/pkg/api/resource.
 */

const NANO = 1_000_000_000n
const decimal: readonly (readonly [suffix: string, nanos: bigint])[] = [
  ['E', 10n ** 27n],
  ['P', 10n ** 24n],
  ['T', 10n ** 21n],
  ['G', 10n ** 18n],
  ['M', 10n ** 15n],
  ['k', 10n ** 12n],
  ['', NANO],
  ['m', 1_000_000n],
  ['u', 1_000n],
  ['n', 1n],
]
const binary: readonly (readonly [suffix: string, units: bigint])[] = [
  ['Ei', 1n << 60n],
  ['Pi', 1n << 50n],
  ['Ti', 1n << 40n],
  ['Gi', 1n << 30n],
  ['Mi', 1n << 20n],
  ['Ki', 1n << 10n],
]
const shape = /^\+?(\d*)(?:\.(\d*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/

/** Throws a RangeError for text that is not a quantity. */
export function canonicalQuantity(quantity: string | number): string {
  const match = shape.exec(String(quantity))
  if (!match) throw new RangeError(`${quantity} is not a quantity`)
  const [, whole = '', fraction = '', suffix = ''] = match
  const digits = BigInt(`${whole}${fraction}` || '0')
  const scale = 10n ** BigInt(fraction.length)
  if (suffix.endsWith('i')) return binaryText(ceil(digits * unitsOf(suffix), scale))
  if (/^[eE]/.test(suffix)) return exponentText(digits, scale, Number(suffix.slice(1)))
  const nanos = decimal.find(([name]) => name === suffix)?.[1] ?? NANO
  return decimalText(ceil(digits * nanos, scale))
}

const unitsOf = (suffix: string): bigint => binary.find(([name]) => name === suffix)?.[1] ?? 1n

const ceil = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor

/** Below 1,024 there is no suffix. */
function binaryText(units: bigint): string {
  const fitting = binary.find(([, size]) => units !== 0n && units % size === 0n)
  return fitting ? `${units / fitting[1]}${fitting[0]}` : String(units)
}

function decimalText(nanos: bigint): string {
  if (nanos === 0n) return '0'
  const [suffix, size] = decimal.find(([, each]) => nanos % each === 0n) ?? ['n', 1n]
  return `${nanos / size}${suffix}`
}

/** Exponents are multiples of three. */
function exponentText(digits: bigint, scale: bigint, exponent: number): string {
  const power = 10n ** BigInt(Math.abs(exponent))
  const nanos =
    exponent < 0 ? ceil(digits * NANO, scale * power) : ceil(digits * NANO * power, scale)
  if (nanos === 0n) return '0'
  let by = -9
  let left = nanos
  while (left % 1_000n === 0n) {
    left /= 1_000n
    by += 3
  }
  return by === 0 ? String(left) : `${left}e${by}`
}
