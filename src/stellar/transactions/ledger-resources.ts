/** Resources of Soroban transactions that a ledger holds a limited amount of (CAP-46 and later). */
import type { xdr } from '@stellar/stellar-sdk'

/** One amount for each resource that stellar-core limits in a ledger and in its queue of Soroban transactions. */
export interface LedgerResources {
  /** A fee bump counts as two. */
  readonly transactions: number
  /** Without fee bumps. */
  readonly transactionBytes: number
  readonly instructions: number
  /** Entries read from disk: classic and archived ones (CAP-62). */
  readonly diskReads: number
  readonly diskReadBytes: number
  readonly writes: number
  readonly writeBytes: number
}

/** The number of transactions of these resources for which the limits suffice; a fraction. */
export const transactionsWithin = (limits: LedgerResources, each: LedgerResources): number =>
  Math.min(...Object.values(mapResources((name) => limits[name] / each[name])))

/** A new object with one amount computed for each resource. */
export const mapResources = (amount: (name: keyof LedgerResources) => number): LedgerResources => ({
  transactions: amount('transactions'),
  transactionBytes: amount('transactionBytes'),
  instructions: amount('instructions'),
  diskReads: amount('diskReads'),
  diskReadBytes: amount('diskReadBytes'),
  writes: amount('writes'),
  writeBytes: amount('writeBytes'),
})

/** Resources of a transaction that count towards the limits of a ledger. Throws TypeError when it has no Soroban data. */
export function declaredResources(envelope: xdr.TransactionEnvelope): LedgerResources {
  const isFeeBump = envelope.type === 'envelopeTypeTxFeeBump'
  const inner = isFeeBump ? envelope.feeBump.tx.innerTx : envelope
  if (inner.type !== 'envelopeTypeTx') throw new TypeError(`not Soroban: ${inner.type}`)
  const { ext } = inner.v1.tx
  if (ext.type !== 'sorobanData') throw new TypeError('a transaction without Soroban data')
  return {
    transactions: isFeeBump ? 2 : 1,
    transactionBytes: inner.toXdr().length,
    ...declaredBy(ext.sorobanData),
  }
}

/** The part that Soroban data declares. */
export function declaredBy({
  resources: { footprint, instructions, diskReadBytes, writeBytes },
  ext,
}: xdr.SorobanTransactionData): Omit<LedgerResources, 'transactions' | 'transactionBytes'> {
  const { readOnly, readWrite } = footprint
  const classic = [...readOnly, ...readWrite].filter(
    ({ type }) => type === 'account' || type === 'trustline',
  )
  const archived = ext.type === 'resourceExt' ? ext.resourceExt.archivedSorobanEntries : []
  return {
    instructions,
    diskReads: classic.length + archived.length,
    diskReadBytes,
    writes: readWrite.length,
    writeBytes,
  }
}
