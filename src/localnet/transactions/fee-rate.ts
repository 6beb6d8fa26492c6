/** Bids compared per operation, without rounding (CAP-5, CAP-15). */
import type { Envelope } from './envelope.ts'
import { inclusionFee } from './fees.ts'

/** Below zero when `a` bids less for each operation than `b`. */
export function compareFeeRates(a: Envelope, b: Envelope): -1 | 0 | 1 {
  const left = inclusionFee(a) * BigInt(operationsOf(b))
  const right = inclusionFee(b) * BigInt(operationsOf(a))
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The highest first; equals in an order that nobody chose: by hash. */
export const byFeeRateDescending = (a: Envelope, b: Envelope): number =>
  compareFeeRates(b, a) || (a.hash < b.hash ? -1 : 1)

/** Stroops for each operation, rounded down. */
export const feeRate = (envelope: Envelope): bigint =>
  inclusionFee(envelope) / BigInt(operationsOf(envelope))

/** The least whole bid, resource fee and all, that is above the rate of another. */
export const computeBetterFee = (envelope: Envelope, other: Envelope): bigint =>
  (inclusionFee(other) * BigInt(operationsOf(envelope))) / BigInt(operationsOf(other)) +
  1n +
  (envelope.fee - inclusionFee(envelope))

const operationsOf = ({ feeOperations }: Envelope): number => Math.max(1, feeOperations)
