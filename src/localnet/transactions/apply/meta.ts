/**
 * TransactionMeta of version 4 (CAP-67), or 3 for old decoders. Concatenates XDR: to decode entries, events
 * and values and encode them again would cost more than applying the transaction.
 */
import { xdr } from '@stellar/stellar-sdk'
import { type EntryRecord, keyXdr } from '../../ledger/entry-record.ts'
import { withLastModified } from '../../ledger/entry-store.ts'
import { ttlKeyHash } from '../../ledger/keys.ts'
import type { EntryChange } from '../../ledger/ledger-txn.ts'
import type { RefundableFeeTracker } from '../fees/refundable-fee-tracker.ts'
import type { Shuffle } from '../set/shuffle.ts'
import { xdrList, xdrOption, xdrUint32 } from '../xdr-bytes.ts'

export interface OperationMeta {
  /** LedgerEntryChange XDR. */
  readonly changes: readonly Uint8Array[]
  /** ContractEvent XDR. */
  readonly events: readonly Uint8Array[]
}

export interface MetaParts {
  readonly before: readonly Uint8Array[]
  readonly operations: readonly OperationMeta[]
  /** LedgerEntryChange XDR; part of version 3 only. */
  readonly refundChanges: readonly Uint8Array[]
  readonly soroban:
    | { readonly fee: RefundableFeeTracker; readonly returnValue?: Uint8Array }
    | undefined
  /** TransactionEvent XDR. */
  readonly events: readonly Uint8Array[]
  /** DiagnosticEvent XDR. */
  readonly diagnostics: readonly Uint8Array[]
}

/** Version 3 has only contract events, next to the return value. */
export type MetaVersion = 3 | 4

const NO_EXTENSION = xdrUint32(0)

export const encodeMeta = (parts: MetaParts, version: MetaVersion): Uint8Array =>
  version === 3 ? encodeMeta3(parts) : encodeMeta4(parts)

const encodeMeta4 = (parts: MetaParts): Uint8Array =>
  Buffer.concat([
    xdrUint32(4),
    NO_EXTENSION,
    xdrList(parts.before),
    xdrList(parts.operations.map(encodeOperation)),
    // Changes after the operations: none, since refunds follow the whole set and have a place of their
    // own in the ledger's meta (protocol 23).
    xdrList([]),
    xdrOption(parts.soroban && encodeSoroban(parts.soroban)),
    xdrList(parts.events),
    xdrList(parts.diagnostics),
  ])

const encodeMeta3 = (parts: MetaParts): Uint8Array =>
  Buffer.concat([
    xdrUint32(3),
    NO_EXTENSION,
    xdrList(parts.before),
    xdrList(parts.operations.map(({ changes }) => xdrList(changes))),
    xdrList(parts.refundChanges),
    xdrOption(parts.soroban && encodeSoroban3(parts, parts.soroban)),
  ])

/** stellar-core's default value when nothing was returned: the ScVal type 0. */
const NO_VALUE = xdr.ScVal.scvBool(false).toXdr()

const encodeSoroban3 = (
  { operations, diagnostics }: MetaParts,
  { fee, returnValue = NO_VALUE }: NonNullable<MetaParts['soroban']>,
): Uint8Array =>
  Buffer.concat([
    feesCharged(fee),
    xdrList(operations.flatMap(({ events }) => events)),
    returnValue,
    xdrList(diagnostics),
  ])

const encodeOperation = ({ changes, events }: OperationMeta): Uint8Array =>
  Buffer.concat([NO_EXTENSION, xdrList(changes), xdrList(events)])

const encodeSoroban = ({ fee, returnValue }: NonNullable<MetaParts['soroban']>): Uint8Array =>
  Buffer.concat([feesCharged(fee), xdrOption(returnValue)])

/** SorobanTransactionMetaExt XDR. */
const feesCharged = (fee: RefundableFeeTracker): Uint8Array =>
  xdr.SorobanTransactionMetaExt.v1(
    new xdr.SorobanTransactionMetaExtV1({
      ext: xdr.ExtensionPoint.v0(),
      totalNonRefundableResourceFeeCharged: fee.nonRefundable,
      totalRefundableResourceFeeCharged: fee.consumed,
      rentFeeCharged: fee.rent,
    }),
  ).toXdr()

/** LedgerEntryChangeType. */
const changeTypes = { created: 0, updated: 1, removed: 2, state: 3, restored: 4 } as const

const encodeChange = (type: keyof typeof changeTypes, body: Uint8Array): Uint8Array =>
  Buffer.concat([xdrUint32(changeTypes[type]), body])

/**
 * LedgerEntryChange XDR; the change of a TTL follows its entry's. stellar-core has no such order: `shuffle`
 * gives one that varies, and keeps only the state of an entry before its update.
 */
export function encodeChanges(changes: readonly EntryChange[], shuffle?: Shuffle): Uint8Array[] {
  const byEntry = changes.flatMap((change) => [entryChanges(change), ttlChanges(change)])
  return (shuffle ? shuffle(byEntry) : byEntry).flat()
}

function entryChanges({ key, before, after, restoredIn }: EntryChange): Uint8Array[] {
  if (!before) return after ? [encodeChange('created', after.entry)] : []
  const end = after ? encodeChange('updated', after.entry) : encodeChange('removed', keyXdr(key))
  if (restoredIn === undefined) {
    return after?.entry === before.entry ? [] : [encodeChange('state', before.entry), end]
  }
  // An entry restored from the live state keeps its lastModifiedLedgerSeq.
  if (after?.entry === before.entry) return [encodeChange('restored', before.entry)]
  const restored = withLastModified(before.entry, restoredIn)
  const unchanged = after && Buffer.compare(restored, after.entry) === 0
  return unchanged
    ? [encodeChange('restored', restored)]
    : [encodeChange('restored', restored), end]
}

function ttlChanges({ key, before, after, restoredIn }: EntryChange): Uint8Array[] {
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
  if (restoredIn !== undefined) return [encodeChange('restored', now)]
  return [encodeChange('state', old), encodeChange('updated', now)]
}

/** LedgerEntryType TTL. */
const TTL_ENTRY = 9

/** LedgerEntry XDR of a TTL entry. */
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
