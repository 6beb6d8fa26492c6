import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'

/** All stroops that exist have 19 digits. */
const MAX_DIGITS = 30

/**
 * Reads a sum of fees as the database prints it. Throws a RangeError when it cannot be one: someone else may run the database, and to
 * read a million digits takes long.
 */
export function stroopsOfSum(sum: string | bigint): Stroops {
  const text = String(sum)
  if (text.length > MAX_DIGITS || !/^\d+$/.test(text)) {
    throw new RangeError(`the database has no sum of fees, but ${text.slice(0, MAX_DIGITS)}`)
  }
  return asStroops(BigInt(text))
}
