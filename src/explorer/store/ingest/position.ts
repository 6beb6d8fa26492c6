const SECONDS_OF_AN_HOUR = 3_600
const HASH_BITS = 32n

/** A payment's place in the order of all, `explorer_payments.position`: by close time, then by hash. */
export const positionOf = (closedAt: number, txHash: string): bigint =>
  (BigInt(closedAt) << HASH_BITS) | BigInt(`0x${txHash.slice(0, 8)}`)

/** The lowest position of payments that closed at these Unix seconds. */
export const firstPositionAt = (closedAt: number): bigint => BigInt(closedAt) << HASH_BITS

/** The highest position of payments that closed at these Unix seconds. */
export const lastPositionAt = (closedAt: number): bigint => firstPositionAt(closedAt + 1) - 1n

/** Unix seconds of the close of the payment's ledger. */
export const closedAtOf = (position: bigint): number => Number(position >> HASH_BITS)

/** No `bigint` of SQL is higher. */
export const MAX_POSITION = 2n ** 63n - 1n

/** Whole hours since the Unix epoch. */
export const hourOf = (seconds: number): number => Math.floor(seconds / SECONDS_OF_AN_HOUR)
