const SECONDS_OF_AN_HOUR = 3_600

/** A payment's place in the order of all, `explorer_payments.position`: by close time, then by hash. */
export const positionOf = (closedAt: number, txHash: string): bigint =>
  (BigInt(closedAt) << 32n) | BigInt(`0x${txHash.slice(0, 8)}`)

/** Whole hours since the Unix epoch. */
export const hourOf = (seconds: number): number => Math.floor(seconds / SECONDS_OF_AN_HOUR)
