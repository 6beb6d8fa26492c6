/**
 * TransactionMeta version 4 (CAP-67), put together from bytes: entries, events and values are XDR
 * already, and decoding them only to encode them again would cost more than applying the transaction.
 */
import { xdr } from '@stellar/stellar-sdk'
import { type EntryChange, type EntryRecord, keyXdr } from '../ledger/entry-store.ts'
import { ttlKeyHash } from '../ledger/keys.ts'
import type { RefundableFee } from './refundable-fee.ts'
import { xdrList, xdrOption, xdrUint32 } from './xdr-bytes.ts'

export interface OperationMeta {
  /** LedgerEntryChange XDR. */
  readonly changes: readonly Uint8Array[]
  /** ContractEvent XDR. */
  readonly events: readonly Uint8Array[]
}

export interface MetaParts {
  readonly before: readonly Uint8Array[]
  readonly operations: readonly OperationMeta[]
  readonly soroban: { readonly fee: RefundableFee; readonly returnValue?: Uint8Array } | undefined
  /** TransactionEvent XDR. */
  readonly events: readonly Uint8Array[]
  /** DiagnosticEvent XDR. */
  readonly diagnostics: readonly Uint8Array[]
}

const META_VERSION = 4
const NO_EXTENSION = xdrUint32(0)

export const encodeMeta = (parts: MetaParts): Uint8Array =>
  Buffer.concat([
    xdrUint32(META_VERSION),
    NO_EXTENSION,
    xdrList(parts.before),
    xdrList(parts.operations.map(encodeOperation)),
    // Nothing changes after the operations any more: refunds wait for the whole set (protocol 23).
    xdrList([]),
    xdrOption(parts.soroban && encodeSoroban(parts.soroban)),
    xdrList(parts.events),
    xdrList(parts.diagnostics),
  ])

const encodeOperation = ({ changes, events }: OperationMeta): Uint8Array =>
  Buffer.concat([NO_EXTENSION, xdrList(changes), xdrList(events)])

function encodeSoroban({ fee, returnValue }: NonNullable<MetaParts['soroban']>): Uint8Array {
  const ext = xdr.SorobanTransactionMetaExt.v1(
    new xdr.SorobanTransactionMetaExtV1({
      ext: xdr.ExtensionPoint.v0(),
      totalNonRefundableResourceFeeCharged: fee.nonRefundable,
      totalRefundableResourceFeeCharged: fee.consumed,
      rentFeeCharged: fee.rent,
    }),
  )
  return Buffer.concat([ext.toXdr(), xdrOption(returnValue)])
}

/** LedgerEntryChangeType. */
const changeTypes = { created: 0, updated: 1, removed: 2, state: 3, restored: 4 } as const

const encodeChange = (type: keyof typeof changeTypes, body: Uint8Array): Uint8Array =>
  Buffer.concat([xdrUint32(changeTypes[type]), body])

/** The changes of entries, each lifetime right after the entry it belongs to. */
export const encodeChanges = (changes: readonly EntryChange[]): Uint8Array[] =>
  changes.flatMap((change) => [...entryChanges(change), ...ttlChanges(change)])

function entryChanges({ key, before, after, restored }: EntryChange): Uint8Array[] {
  if (!before) return after ? [encodeChange('created', after.entry)] : []
  const first = encodeChange(restored ? 'restored' : 'state', before.entry)
  if (!after) return [first, encodeChange('removed', keyXdr(key))]
  if (after.entry === before.entry) return restored ? [first] : []
  return [first, encodeChange('updated', after.entry)]
}

function ttlChanges({ key, before, after, restored }: EntryChange): Uint8Array[] {
  if (before?.liveUntil === after?.liveUntil) return []
  const hash = ttlKeyHash(keyXdr(key))
  const old = before?.liveUntil === undefined ? undefined : ttlEntry(hash, before)
  const now = after?.liveUntil === undefined ? undefined : ttlEntry(hash, after)
  if (!old) return now ? [encodeChange('created', now)] : []
  if (!now) {
    return [
      encodeChange('state', old),
      encodeChange('removed', Buffer.concat([xdrUint32(TTL_ENTRY), hash])),
    ]
  }
  if (restored) return [encodeChange('restored', now)]
  return [encodeChange('state', old), encodeChange('updated', now)]
}

/** LedgerEntryType TTL. */
const TTL_ENTRY = 9

/** LedgerEntry XDR of the lifetime that records keep beside their entry. */
const ttlEntry = (
  hash: Uint8Array,
  { liveUntil = 0, liveUntilSetAt = 1 }: EntryRecord,
): Uint8Array =>
  Buffer.concat([
    xdrUint32(liveUntilSetAt),
    xdrUint32(TTL_ENTRY),
    hash,
    xdrUint32(liveUntil),
    NO_EXTENSION,
  ])
