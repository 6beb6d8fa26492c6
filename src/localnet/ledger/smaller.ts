/** Math.min for bigints, which it does not take. */
export function smaller(a: bigint, b: bigint): bigint {
  if (b < a) return b
  return a
}
