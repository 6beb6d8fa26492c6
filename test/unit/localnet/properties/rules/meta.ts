/** Meta, fees and evictions, applied to a ledger, give the next one to the byte. */
import { xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../../../../src/localnet/history.ts'
import { decodeAccount, encodeAccount } from '../../../../../src/localnet/ledger/account.ts'
import { type AccountId, addressOf } from '../../../../../src/localnet/ledger/account-id.ts'
import { type EntryKey, entryKey } from '../../../../../src/localnet/ledger/entry-record.ts'
import { accountKey, ttlKeyHash } from '../../../../../src/localnet/ledger/keys.ts'
import { envelopeOf, feeChargedOf, feesOf, metaOf } from '../applied.ts'
import { type Entries, headerOf, type Rule, type Transition } from '../decoded-ledger.ts'

export const meta: Rule = {
  name: 'meta replayed over a ledger gives the next one',
  start: () => (transition) => [...chainProblems(transition), ...replayProblems(transition)],
}

function chainProblems({ ledger, previous }: Transition): string[] {
  const [header, before] = [headerOf(ledger), headerOf(previous)]
  const fees = ledger.transactions.reduce((sum, it) => sum + feeChargedOf(it), 0n)
  const wrong = {
    'the previous hash':
      Buffer.from(header.previousLedgerHash.value).toString('hex') !== previous.hash,
    'the sequence': header.ledgerSeq !== before.ledgerSeq + 1,
    'the close time': header.scpValue.closeTime <= before.scpValue.closeTime,
    'the fee pool': header.feePool !== before.feePool + fees,
  }
  return Object.entries(wrong).flatMap(([what, isWrong]) => (isWrong ? [`${what} is wrong`] : []))
}

function replayProblems({ before, after, ledger }: Transition): string[] {
  const state = new Replay(before.entries, ledger.sequence)
  for (const transaction of ledger.transactions) {
    state.charge(envelopeOf(transaction).feeSource, -feesOf(transaction).charged)
  }
  for (const transaction of ledger.transactions) applyMeta(state, transaction)
  for (const transaction of ledger.transactions) {
    const { refund } = feesOf(transaction)
    if (refund > 0n) state.charge(envelopeOf(transaction).feeSource, refund)
  }
  for (const key of ledger.evictedKeys) state.evict(key)
  return [...state.problems, ...state.differencesTo(after.entries, ledger.sequence)]
}

function applyMeta(state: Replay, transaction: AppliedTransaction): void {
  const { txChangesBefore, operations, txChangesAfter } = metaOf(transaction)
  if (!transaction.successful && operations.length > 0) {
    state.problems.push(`${transaction.hash} failed and changed something`)
  }
  const changes = operations.flatMap((operation) => operation.changes)
  for (const change of [...txChangesBefore, ...changes, ...txChangesAfter]) state.apply(change)
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

class Replay {
  readonly problems: string[] = []
  /** LedgerEntry XDR in hex, lifetimes as entries of their own. */
  readonly #entries: Map<EntryKey, string>
  readonly #ledger: number

  constructor(entries: Entries, ledger: number) {
    this.#entries = flatten(entries)
    this.#ledger = ledger
  }

  /** Fees and refunds have no meta of their own. */
  charge(payer: AccountId, amount: bigint): void {
    const key = accountKey(payer)
    const entry = this.#entries.get(key)
    if (!entry) {
      this.problems.push(`${addressOf(payer)} has a fee but no account`)
      return
    }
    const account = decodeAccount(Buffer.from(entry, 'hex'))
    account.balance += amount
    this.#entries.set(key, hex(encodeAccount(account, this.#ledger)))
  }

  apply(change: xdr.LedgerEntryChange): void {
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
  evict(key: Uint8Array): void {
    const { type, value } = xdr.LedgerKey.fromXdr(key)
    if (type !== 'contractData' || value.durability.name !== 'temporary') return
    this.#entries.delete(entryKey(key))
    this.#entries.delete(ttlKeyOf(key))
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
