/** Fee bids and charges, in stroops (CAP-5, CAP-15, CAP-46-07). */
import type { Envelope, Transaction } from '../envelope.ts'
import { isSoroban } from '../envelope.ts'

/** Minimum inclusion fee of one operation, and the base fee without surge pricing. */
export const BASE_FEE = 100n

/** Maximum declared resource fee. */
const MAX_RESOURCE_FEE = 1n << 50n

const resourceFeeOf = (transaction: Transaction): bigint =>
  isSoroban(transaction) ? (transaction.soroban?.resourceFee ?? 0n) : 0n

/** The fee bid without the resource fee. */
export const inclusionFee = ({ fee, transaction }: Envelope): bigint =>
  fee - resourceFeeOf(transaction)

export const innerInclusionFee = (transaction: Transaction): bigint =>
  transaction.fee - resourceFeeOf(transaction)

export const minInclusionFee = (operations: number, baseFee = BASE_FEE): bigint =>
  baseFee * BigInt(Math.max(1, operations))

/** `feeCharged` of a refused transaction: the resource fee and the minimum inclusion fee. */
export const minFee = ({ transaction, feeOperations }: Envelope): bigint =>
  resourceFeeOf(transaction) + minInclusionFee(feeOperations)

/** The charge when the ledger closes, before refunds; for inclusion at most the ledger's base fee. */
export function feeToCharge(
  envelope: Envelope,
  baseFee: bigint,
): { readonly total: bigint; readonly inclusion: bigint } {
  const bid = inclusionFee(envelope)
  const max = minInclusionFee(envelope.feeOperations, baseFee)
  const inclusion = bid < max ? bid : max
  return { total: resourceFeeOf(envelope.transaction) + inclusion, inclusion }
}

/** The minimum fee of a fee bump whose fee rate is below its inner transaction's (CAP-15); else undefined. */
export function feeBumpRateShortfall({
  fee,
  transaction,
  feeOperations,
}: Envelope): bigint | undefined {
  const own = fee - resourceFeeOf(transaction)
  const inner = innerInclusionFee(transaction)
  // From protocol 23 on an inner Soroban transaction may leave its resource fee to the fee bump.
  if (inner < 0n) return undefined
  const innerMin = minInclusionFee(transaction.operations.length)
  const needed = inner * minInclusionFee(feeOperations)
  return own * innerMin < needed ? (needed + innerMin - 1n) / innerMin : undefined
}

/** Only Soroban transactions declare resources and a resource fee, and they must; no fee is negative. */
export function xdrProvidesValidFee({ fee, transaction }: Envelope): boolean {
  if (!isSoroban(transaction)) return fee >= 0n && transaction.soroban === undefined
  if (!transaction.soroban) return false
  const { resourceFee } = transaction.soroban
  return fee >= 0n && resourceFee >= 0n && resourceFee <= MAX_RESOURCE_FEE
}

// Comparison of fee rates, per operation and without rounding (CAP-5, CAP-15).

/** Negative when the fee rate of `a` is below that of `b`. */
export function compareFeeRates(a: Envelope, b: Envelope): -1 | 0 | 1 {
  const left = inclusionFee(a) * BigInt(operationsOf(b))
  const right = inclusionFee(b) * BigInt(operationsOf(a))
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The highest first; equal ones by hash, which senders do not control. */
export const byFeeRateDescending = (a: Envelope, b: Envelope): number =>
  compareFeeRates(b, a) || (a.hash < b.hash ? -1 : 1)

/** Stroops per operation, rounded down. */
export const feeRate = (envelope: Envelope): bigint =>
  inclusionFee(envelope) / BigInt(operationsOf(envelope))

/** The lowest whole fee, resource fee included, with a higher fee rate than `other`. */
export const computeBetterFee = (envelope: Envelope, other: Envelope): bigint =>
  (inclusionFee(other) * BigInt(operationsOf(envelope))) / BigInt(operationsOf(other)) +
  1n +
  (envelope.fee - inclusionFee(envelope))

const operationsOf = ({ feeOperations }: Envelope): number => Math.max(1, feeOperations)
