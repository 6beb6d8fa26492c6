/**
 * The fees of Soroban transactions by stellar-core's formulas, written again for tests: CAP-46-07 and CAP-66,
 * `computeSorobanResourceFee` and `getNumDiskReadEntries` of TransactionFrame.cpp, `compute_rent_fee` of
 * soroban-env-host. All amounts are stroops.
 */
import { xdr } from '@stellar/stellar-sdk'

// Prices of testnet's settings: CONFIG_SETTING_CONTRACT_COMPUTE_V0, LEDGER_COST_V0 and LEDGER_COST_EXT_V0,
// HISTORICAL_DATA_V0, EVENTS_V0 and BANDWIDTH_V0, as SLP-4 sets them.
const PER_10_000_INSTRUCTIONS = 7
export const PER_DISK_READ = 1_563
const PER_WRITE = 2_500
const PER_KB_READ = 447
const PER_KB_WRITTEN = 875
const PER_KB_HISTORY = 4_059
const PER_KB_TRANSACTION = 406
const PER_KB_EVENTS = 5_000
/** For each KB that lives for the ledgers of the denominator; the least price, below 2.7 GB of state. */
const PER_KB_RENT = 1_000
const PERSISTENT_DENOMINATOR = 1_215
/** Bytes that history stores besides the envelope (TX_BASE_RESULT_SIZE). */
const RESULT_SIZE = 300
const TTL_ENTRY_SIZE = 48
const KB = 1_024

export interface DeclaredResources {
  readonly instructions: number
  readonly diskReadBytes: number
  readonly writeBytes: number
  /** Contract entries in the footprint. */
  readonly readOnly: number
  readonly readWrite: number
  /** Accounts and trustlines in the footprint. */
  readonly classic: number
  /** Read-write entries that the call restores. */
  readonly restored: number
  readonly isRestoration: boolean
  /** Bytes of the envelope. */
  readonly size: number
}

/** What the envelope of a transaction declares. */
export function declaredBy(envelopeXdr: Uint8Array): DeclaredResources {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr)
  const tx = envelope.type === 'envelopeTypeTx' ? envelope.v1.tx : undefined
  if (tx?.ext.type !== 'sorobanData') throw new TypeError('no Soroban transaction')
  const { resources, ext } = tx.ext.sorobanData
  const { footprint, instructions, diskReadBytes, writeBytes } = resources
  const { readOnly, readWrite } = footprint
  const isClassic = ({ type }: xdr.LedgerKey) => type === 'account' || type === 'trustline'
  return {
    ...{ instructions, diskReadBytes, writeBytes },
    readOnly: readOnly.length,
    readWrite: readWrite.length,
    classic: [...readOnly, ...readWrite].filter(isClassic).length,
    restored: ext.type === 'resourceExt' ? ext.resourceExt.archivedSorobanEntries.length : 0,
    isRestoration: tx.operations[0]?.body.type === 'restoreFootprint',
    size: envelopeXdr.length,
  }
}

const per = (amount: number, price: number, unit: number): number =>
  Math.ceil((amount * price) / unit)

export const nonRefundableFee = (it: DeclaredResources): bigint =>
  BigInt(
    per(it.instructions, PER_10_000_INSTRUCTIONS, 10_000) +
      PER_DISK_READ * (it.isRestoration ? it.readWrite : it.classic + it.restored) +
      PER_WRITE * it.readWrite +
      per(it.diskReadBytes, PER_KB_READ, KB) +
      per(it.writeBytes, PER_KB_WRITTEN, KB) +
      per(it.size + RESULT_SIZE, PER_KB_HISTORY, KB) +
      per(it.size, PER_KB_TRANSACTION, KB),
  )

/** For bytes of events and the return value. */
export const eventsFee = (size: number): bigint => BigInt(per(size, PER_KB_EVENTS, KB))

/** For a persistent data entry of these bytes that lives for more ledgers, and for its TTL entry. */
export const rentFee = (size: number, ledgers: number): bigint =>
  BigInt(
    per(size * ledgers, PER_KB_RENT, KB * PERSISTENT_DENOMINATOR) +
      PER_WRITE +
      per(TTL_ENTRY_SIZE, PER_KB_WRITTEN, KB),
  )
