/** Meta applied to the entries of a ledger. */
import { xdr } from '@stellar/stellar-sdk'
import { type EntryKey, entryKey } from '../../../../src/localnet/ledger/entry-record.ts'
import { ttlKeyHash } from '../../../../src/localnet/ledger/keys.ts'
import type { Entries } from './decoded-ledger.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Ledger entries by key, changed as an indexer changes them: by meta alone. */
export class Replay {
  readonly problems: string[] = []
  /** LedgerEntry XDR in hex, lifetimes as entries of their own. */
  readonly #entries: Map<EntryKey, string>

  constructor(entries: Entries) {
    this.#entries = flatten(entries)
  }

  /** The meta of one ledger: all fees, then the transactions, then all refunds. */
  applyLedger(meta: xdr.LedgerCloseMeta): void {
    const { txProcessing } = contentOf(meta)
    for (const { feeProcessing } of txProcessing) this.#applyAll(feeProcessing)
    for (const { txApplyProcessing } of txProcessing) this.#applyAll(changesOf(txApplyProcessing))
    for (const transaction of txProcessing) {
      if ('postTxApplyFeeProcessing' in transaction) {
        this.#applyAll(transaction.postTxApplyFeeProcessing)
      }
    }
    for (const key of contentOf(meta).evictedKeys) this.#evict(key)
  }

  #applyAll(changes: readonly xdr.LedgerEntryChange[]): void {
    for (const change of changes) this.#apply(change)
  }

  #apply(change: xdr.LedgerEntryChange): void {
    if (change.type === 'ledgerEntryRemoved') {
      const key = entryKey(change.removed.toXdr())
      if (!this.#entries.delete(key))
        this.problems.push(`${nameOf(key)} was removed, and was missing`)
      return
    }
    const key = entryKey(keyOf(change.value))
    const entry = hex(change.value.toXdr())
    const known = this.#entries.get(key)
    if (change.type === 'ledgerEntryState' && known !== entry) {
      this.problems.push(`${nameOf(key)} differs from its state`)
    }
    if (change.type === 'ledgerEntryCreated' && known !== undefined) {
      this.problems.push(`${nameOf(key)} was created, and existed`)
    }
    this.#entries.set(key, entry)
  }

  /** Removes temporary entries; archived ones stay, so that they can be restored. */
  #evict(key: xdr.LedgerKey): void {
    if (key.type === 'ttl') return
    if (key.type !== 'contractData' || key.contractData.durability.name !== 'temporary') return
    const bytes = key.toXdr()
    this.#entries.delete(entryKey(bytes))
    this.#entries.delete(ttlKeyOf(bytes))
  }

  differencesTo(entries: Entries, ledger: number): string[] {
    const actual = flatten(entries)
    const keys = new Set([...actual.keys(), ...this.#entries.keys()])
    return [...keys].flatMap((key) => {
      const [is, expected] = [actual.get(key), this.#entries.get(key)]
      if (is === expected) return []
      const how = !expected ? 'has no meta' : !is ? 'is missing' : 'differs from the meta'
      return [`${nameOf(key)} ${how} after ledger ${ledger}`]
    })
  }
}

export function contentOf(
  meta: xdr.LedgerCloseMeta,
): xdr.LedgerCloseMetaV1 | xdr.LedgerCloseMetaV2 {
  if (meta.type === 'v0') throw new TypeError('ledger meta of version 0')
  return meta.type === 'v1' ? meta.v1 : meta.v2
}

function changesOf(meta: xdr.TransactionMeta): xdr.LedgerEntryChange[] {
  if (meta.type !== 'v3' && meta.type !== 'v4') throw new TypeError(`meta of version ${meta.type}`)
  const { txChangesBefore, operations, txChangesAfter } = meta.value
  const applied = operations.flatMap(({ changes }) => changes)
  return [...txChangesBefore, ...applied, ...txChangesAfter]
}

function flatten(entries: Entries): Map<EntryKey, string> {
  const flat = new Map<EntryKey, string>()
  for (const [key, { entry, liveUntil, liveUntilSetAt = 1 }] of entries) {
    flat.set(key, hex(entry))
    if (liveUntil === undefined) continue
    const keyHash = new xdr.Hash(ttlKeyHash(Buffer.from(key, 'latin1')))
    const lifetime = new xdr.LedgerEntry({
      lastModifiedLedgerSeq: liveUntilSetAt,
      data: xdr.LedgerEntryData.ttl(new xdr.TtlEntry({ keyHash, liveUntilLedgerSeq: liveUntil })),
      ext: xdr.LedgerEntryExt.v0(),
    })
    flat.set(ttlKeyOf(Buffer.from(key, 'latin1')), hex(lifetime.toXdr()))
  }
  return flat
}

const ttlKeyOf = (key: Uint8Array): EntryKey =>
  entryKey(
    xdr.LedgerKey.ttl(new xdr.LedgerKeyTtl({ keyHash: new xdr.Hash(ttlKeyHash(key)) })).toXdr(),
  )

function keyOf({ data }: xdr.LedgerEntry): Uint8Array {
  switch (data.type) {
    case 'account':
      return xdr.LedgerKey.account(new xdr.LedgerKeyAccount(data.account)).toXdr()
    case 'trustline':
      return xdr.LedgerKey.trustline(new xdr.LedgerKeyTrustLine(data.trustLine)).toXdr()
    case 'data':
      return xdr.LedgerKey.data(new xdr.LedgerKeyData(data.data)).toXdr()
    case 'contractData':
      return xdr.LedgerKey.contractData(new xdr.LedgerKeyContractData(data.contractData)).toXdr()
    case 'contractCode':
      return xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode(data.contractCode)).toXdr()
    case 'ttl':
      return xdr.LedgerKey.ttl(new xdr.LedgerKeyTtl(data.ttl)).toXdr()
    default:
      throw new TypeError(`unexpected entry: ${data.type}`)
  }
}

function nameOf(key: EntryKey): string {
  const parsed = xdr.LedgerKey.fromXdr(Buffer.from(key, 'latin1'))
  return `${parsed.type} ${JSON.stringify(parsed.value.toJson())}`
}
