/**
 * Resources of transactions, and how many of them a ledger or the queue may hold (stellar-core's
 * Resource). A fee bump counts as one more operation, for Soroban transactions too.
 */
import { type NetworkLimits, networkLimits } from '../../genesis/network-limits.ts'
import { type Envelope, isSoroban } from '../envelope.ts'
import { diskReads } from './soroban-limits.ts'

export type Phase = 'classic' | 'soroban'

/** One amount for each kind of resource; the order is that of `LedgerLimits`. */
export type Resources = readonly number[]

export interface LedgerLimits {
  /** Operations. */
  readonly classic: Resources
  /** Transactions, instructions, bytes of envelopes, bytes and entries from disk, bytes and entries written. */
  readonly soroban: Resources
  /** Instructions of one bin: clusters in a bin run one after the other (CAP-63). */
  readonly instructionsPerBin: number
  /** Bins that run in parallel (`ledgerMaxDependentTxClusters`). */
  readonly bins: number
}

export const phaseOf = ({ transaction }: Envelope): Phase =>
  isSoroban(transaction) ? 'soroban' : 'classic'

export function ledgerLimits(
  limits: NetworkLimits,
  maxOperations: number,
  ledgerMaxTxCount = networkLimits[limits].executionLanes.ledgerMaxTxCount,
): LedgerLimits {
  const { compute, ledgerCost, bandwidth, parallelCompute } = networkLimits[limits]
  const instructionsPerBin = Number(compute.ledgerMaxInstructions)
  const bins = parallelCompute.ledgerMaxDependentTxClusters
  return {
    classic: [maxOperations],
    soroban: [
      ledgerMaxTxCount,
      instructionsPerBin * bins,
      bandwidth.ledgerMaxTxsSizeBytes,
      ledgerCost.ledgerMaxDiskReadBytes,
      ledgerCost.ledgerMaxDiskReadEntries,
      ledgerCost.ledgerMaxWriteBytes,
      ledgerCost.ledgerMaxWriteLedgerEntries,
    ],
    instructionsPerBin,
    bins,
  }
}

export function resourcesOf({ feeOperations, transaction }: Envelope): Resources {
  const { soroban, size } = transaction
  if (!soroban) return [feeOperations]
  const { footprint, instructions, diskReadBytes, writeBytes } = soroban.resources
  const written = footprint.readWrite.length
  return [
    feeOperations,
    instructions,
    size,
    diskReadBytes,
    diskReads(soroban, transaction),
    writeBytes,
    written,
  ]
}

export const zeroResources = ({ length }: Resources): Resources => new Array<number>(length).fill(0)

export const addResources = (a: Resources, b: Resources): Resources =>
  a.map((amount, index) => amount + (b[index] ?? 0))

/** Never below zero. */
export const subtractResources = (a: Resources, b: Resources): Resources =>
  a.map((amount, index) => Math.max(0, amount - (b[index] ?? 0)))

export const multiplyResources = (a: Resources, factor: number): Resources =>
  a.map((amount) => amount * factor)

export const fitsWithin = (a: Resources, limits: Resources): boolean =>
  a.every((amount, index) => amount <= (limits[index] ?? 0))
