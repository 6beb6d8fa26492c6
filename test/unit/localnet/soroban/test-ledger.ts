import { createHash } from 'node:crypto'
import { type Asset, hash, Keypair, xdr } from '@stellar/stellar-sdk'
import { configSettings } from '../../../../src/localnet/config-settings.ts'
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

/** The host on a map of entries, without a network. */
export class TestLedger {
  readonly entries = new Map<string, StoredEntry>()
  readonly host: SorobanHost
  readonly logged: string[] = []
  sequence = 1000

  constructor() {
    this.host = SorobanHost.load(
      (key) => this.entries.get(hex(key)),
      (line) => this.logged.push(line),
    )
    for (const { key, entry } of configSettings({ costParams: this.host.costParams() })) {
      this.entries.set(hex(key), { entry })
    }
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
    this.put(
      xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: accountId(keys) })),
      xdr.LedgerEntryData.account(
        new xdr.AccountEntry({
          accountId: accountId(keys),
          balance,
          seqNum: 0n,
          numSubEntries: 0,
          inflationDest: null,
          flags: 0,
          homeDomain: '',
          thresholds: Uint8Array.of(1, 0, 0, 0),
          signers: [],
          ext: xdr.AccountEntryExt.v0(),
        }),
      ),
    )
  }

  #trustlineKey(keys: Keypair, asset: Asset): xdr.LedgerKey {
    return xdr.LedgerKey.trustline(
      new xdr.LedgerKeyTrustLine({
        accountId: accountId(keys),
        asset: asset.toTrustLineXdrObject(),
      }),
    )
  }

  createTrustline(keys: Keypair, asset: Asset, balance: bigint): void {
    this.put(
      this.#trustlineKey(keys, asset),
      xdr.LedgerEntryData.trustline(
        new xdr.TrustLineEntry({
          accountId: accountId(keys),
          asset: asset.toTrustLineXdrObject(),
          balance,
          limit: 2n ** 63n - 1n,
          flags: 1,
          ext: xdr.TrustLineEntryExt.v0(),
        }),
      ),
    )
  }

  trustlineBalance(keys: Keypair, asset: Asset): bigint {
    const stored = this.get(this.#trustlineKey(keys, asset))
    if (stored === undefined) throw new Error('no such trustline')
    const { data } = xdr.LedgerEntry.fromXdr(stored.entry)
    if (data.type !== 'trustline') throw new Error(`not a trustline: ${data.type}`)
    return data.trustLine.balance
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
