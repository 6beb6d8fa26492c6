import { createHash } from 'node:crypto'
import { type Asset, hash, Keypair, xdr } from '@stellar/stellar-sdk'
import {
  type ConfigSetting,
  configSettings,
} from '../../../../src/localnet/genesis/config-settings.ts'
import { encodeAccount, newAccount } from '../../../../src/localnet/ledger/account.ts'
import { accountIdFromRaw } from '../../../../src/localnet/ledger/account-id.ts'
import { keyXdr } from '../../../../src/localnet/ledger/entry-record.ts'
import { accountKey, trustlineKey } from '../../../../src/localnet/ledger/keys.ts'
import {
  decodeTrustline,
  encodeTrustline,
  MAX_INT64,
  type Trustline,
  trustlineFlags,
} from '../../../../src/localnet/ledger/trustline.ts'
import { SorobanHost } from '../../../../src/localnet/soroban/host.ts'
import type { StoredEntry } from '../../../../src/localnet/soroban/instance.ts'
import type { FootprintChange } from '../../../../src/localnet/soroban/invoke.ts'
import type { LedgerContext } from '../../../../src/localnet/soroban/ledger-context.ts'

export const passphrase = 'A network of one test'

export const keypair = (name: string): Keypair =>
  Keypair.fromRawEd25519Seed(createHash('sha256').update(name).digest())

export const accountId = (keys: Keypair): xdr.PublicKey =>
  xdr.PublicKey.publicKeyTypeEd25519(keys.rawPublicKey())

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

const lineKey = (keys: Keypair, asset: Asset): string =>
  hex(keyXdr(trustlineKey(accountIdFromRaw(keys.rawPublicKey()), asset.toTrustLineXdrObject())))

let settings: readonly ConfigSetting[] | undefined

/** The host on a map of entries, without a network. */
export class TestLedger {
  readonly entries = new Map<string, StoredEntry>()
  readonly host: SorobanHost
  readonly logged: string[] = []
  sequence = 1000

  /** With accounts of 1,000 XLM. */
  constructor(...accounts: readonly Keypair[]) {
    this.host = SorobanHost.load(
      (key) => this.entries.get(hex(key)),
      (line) => this.logged.push(line),
    )
    settings ??= configSettings({ costParams: this.host.costParams() })
    for (const { key, entry } of settings) this.entries.set(hex(key), { entry })
    for (const keys of accounts) this.createAccount(keys)
  }

  get context(): LedgerContext {
    return {
      sequence: this.sequence,
      closeTime: 1_790_000_000,
      networkId: hash(Buffer.from(passphrase)),
      baseReserve: 5_000_000,
    }
  }

  get(key: xdr.LedgerKey): StoredEntry | undefined {
    return this.entries.get(hex(key.toXdr()))
  }

  put(key: xdr.LedgerKey, data: xdr.LedgerEntryData): void {
    const ext = xdr.LedgerEntryExt.v0()
    const entry = new xdr.LedgerEntry({ lastModifiedLedgerSeq: this.sequence, data, ext })
    this.entries.set(hex(key.toXdr()), { entry: entry.toXdr() })
  }

  setLiveUntil(key: Uint8Array, liveUntil: number): void {
    const stored = this.entries.get(hex(key))
    if (stored === undefined) throw new Error('no such entry')
    this.entries.set(hex(key), { ...stored, liveUntil })
  }

  createAccount(keys: Keypair, balance = 1000_0000000n): void {
    const id = accountIdFromRaw(keys.rawPublicKey())
    const entry = encodeAccount(newAccount({ id, balance, sequence: 0n }), this.sequence)
    this.entries.set(hex(keyXdr(accountKey(id))), { entry })
  }

  createTrustline(keys: Keypair, asset: Asset, balance: bigint): void {
    const line: Trustline = {
      account: accountIdFromRaw(keys.rawPublicKey()),
      asset: asset.toTrustLineXdrObject(),
      balance,
      limit: MAX_INT64,
      flags: trustlineFlags.authorized,
      ext: xdr.TrustLineEntryExt.v0(),
      sponsor: undefined,
      entryExtended: false,
    }
    this.entries.set(lineKey(keys, asset), { entry: encodeTrustline(line, this.sequence) })
  }

  trustlineBalance(keys: Keypair, asset: Asset): bigint {
    const stored = this.entries.get(lineKey(keys, asset))
    if (stored === undefined) throw new Error('no such trustline')
    return decodeTrustline(stored.entry).balance
  }

  /** Commits the changes of an invocation. */
  apply(changes: readonly FootprintChange[]): void {
    for (const { key, readOnly, value, newLiveUntil } of changes) {
      if (readOnly && newLiveUntil > 0) this.setLiveUntil(key, newLiveUntil)
      if (readOnly) continue
      const liveUntil = newLiveUntil > 0 ? { liveUntil: newLiveUntil } : {}
      if (value === undefined) this.entries.delete(hex(key))
      else this.entries.set(hex(key), { entry: value, ...liveUntil })
    }
  }
}
