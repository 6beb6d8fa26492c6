/** What a transaction bids and pays, in stroops (CAP-5, CAP-15, CAP-46-07). */
import type { Envelope, Transaction } from './envelope.ts'
import { isSoroban } from './envelope.ts'

/** The least inclusion fee for one operation; what everybody pays while ledgers have room. */
export const BASE_FEE = 100n

/** The most a transaction may declare for resources. */
const MAX_RESOURCE_FEE = 1n << 50n

export const resourceFeeOf = (transaction: Transaction): bigint =>
  isSoroban(transaction) ? (transaction.soroban?.resourceFee ?? 0n) : 0n

/** The part of the bid that is for being included. */
export const inclusionFee = ({ fee, transaction }: Envelope): bigint =>
  fee - resourceFeeOf(transaction)

export const innerInclusionFee = (transaction: Transaction): bigint =>
  transaction.fee - resourceFeeOf(transaction)

export const minInclusionFee = (operations: number, baseFee = BASE_FEE): bigint =>
  baseFee * BigInt(Math.max(1, operations))

/** What a refused transaction's result names: the resource fee and the least inclusion fee. */
export const minFee = ({ transaction, feeOperations }: Envelope): bigint =>
  resourceFeeOf(transaction) + minInclusionFee(feeOperations)

/** What is taken when the ledger closes, before refunds: never more than the ledger's base fee for inclusion. */
export function feeToCharge(
  envelope: Envelope,
  baseFee: bigint,
): { readonly total: bigint; readonly inclusion: bigint } {
  const bid = inclusionFee(envelope)
  const least = minInclusionFee(envelope.feeOperations, baseFee)
  const inclusion = bid < least ? bid : least
  return { total: resourceFeeOf(envelope.transaction) + inclusion, inclusion }
}

/** The least fee a fee bump must offer to beat the rate of the transaction inside (CAP-15). */
export function feeBumpRateShortfall({
  fee,
  transaction,
  feeOperations,
}: Envelope): bigint | undefined {
  const own = fee - resourceFeeOf(transaction)
  const inner = innerInclusionFee(transaction)
  // From protocol 23 on an inner Soroban transaction may leave even its resource fee to the fee bump.
  if (inner < 0n) return undefined
  const innerMin = minInclusionFee(transaction.operations.length)
  const needed = inner * minInclusionFee(feeOperations)
  return own * innerMin < needed ? (needed + innerMin - 1n) / innerMin : undefined
}

/** Soroban transactions, and they alone, declare resources and a fee for them; no fee is negative. */
export function xdrProvidesValidFee({ fee, transaction }: Envelope): boolean {
  if (!isSoroban(transaction)) return fee >= 0n && transaction.soroban === undefined
  if (!transaction.soroban) return false
  const { resourceFee } = transaction.soroban
  return fee >= 0n && resourceFee >= 0n && resourceFee <= MAX_RESOURCE_FEE
}

// Comparison of fee rates, per operation and without rounding (CAP-5, CAP-15).

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
