/**
 * What transactions take of a ledger, and how much of it there is (stellar-core's Resource). A fee
 * bump counts as one operation more, for Soroban transactions too.
 */
import { type NetworkLimits, networkLimits } from '../network-limits.ts'
import { type Envelope, isSoroban } from './envelope.ts'
import { diskReads } from './soroban-limits.ts'

export type Phase = 'classic' | 'soroban'

/** Amounts of the same things, in the same order. */
export type Resources = readonly number[]

export interface LedgerLimits {
  /** Operations. */
  readonly classic: Resources
  /** Transactions, instructions, bytes of envelopes, bytes and entries from disk, bytes and entries written. */
  readonly soroban: Resources
  /** Instructions that may depend on each other, and how often that many fit side by side (CAP-63). */
  readonly instructionsInRow: number
  readonly rows: number
}

export const phaseOf = ({ transaction }: Envelope): Phase =>
  isSoroban(transaction) ? 'soroban' : 'classic'

export function ledgerLimits(limits: NetworkLimits, maxOperations: number): LedgerLimits {
  const { compute, ledgerCost, bandwidth, executionLanes, parallelCompute } = networkLimits[limits]
  const instructionsInRow = Number(compute.ledgerMaxInstructions)
  const rows = parallelCompute.ledgerMaxDependentTxClusters
  return {
    classic: [maxOperations],
    soroban: [
      executionLanes.ledgerMaxTxCount,
      instructionsInRow * rows,
      bandwidth.ledgerMaxTxsSizeBytes,
      ledgerCost.ledgerMaxDiskReadBytes,
      ledgerCost.ledgerMaxDiskReadEntries,
      ledgerCost.ledgerMaxWriteBytes,
      ledgerCost.ledgerMaxWriteLedgerEntries,
    ],
    instructionsInRow,
    rows,
  }
}

export function takes({ feeOperations, transaction }: Envelope): Resources {
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

export const nothing = ({ length }: Resources): Resources => new Array<number>(length).fill(0)

export const plus = (a: Resources, b: Resources): Resources =>
  a.map((amount, index) => amount + (b[index] ?? 0))

/** What is missing is missing: never below zero. */
export const minus = (a: Resources, b: Resources): Resources =>
  a.map((amount, index) => Math.max(0, amount - (b[index] ?? 0)))

export const times = (a: Resources, factor: number): Resources => a.map((it) => it * factor)

export const fitsWithin = (a: Resources, limits: Resources): boolean =>
  a.every((amount, index) => amount <= (limits[index] ?? 0))
