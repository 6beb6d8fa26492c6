/** Token amounts are signed 128-bit integers (SEP-41). */
const LARGEST_AMOUNT = 2n ** 127n - 1n

/** A positive whole number of base units in its one decimal spelling; undefined for every other text. */
export function readAmount(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[1-9]\d{0,38}$/.test(text)) return undefined
  const amount = BigInt(text)
  return amount <= LARGEST_AMOUNT ? amount : undefined
}
