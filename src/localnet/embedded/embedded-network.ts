/** The interface of the embedded network for tests. */
import type { Keypair, xdr } from '@stellar/stellar-sdk'
import type { FaucetAsset } from '../genesis/genesis-assets.ts'
import type { NetworkLimits } from '../genesis/network-limits.ts'

export interface EmbeddedNetworkOptions {
  /**
   * When ledgers close. `instant`: as soon as a transaction was accepted, and before `sendTransaction` answers.
   * `manual`: by `closeLedger()` alone. `everyMs`: at this interval, in milliseconds.
   *
   * `fund` and `deploy` close the ledgers that they need, except with an interval: then they wait for them.
   *
   * @default 'instant'
   */
  readonly closing?: 'instant' | 'manual' | { readonly everyMs: number }
  /** @default testnet's */
  readonly networkPassphrase?: string
  /** Port of the RPC on 127.0.0.1. @default 0, a free one */
  readonly port?: number
  /** `none` removes the limits of a ledger, not those of one transaction. @default 'testnet' */
  readonly limits?: NetworkLimits
  /** Gets a line for each internal error of the network. @default nothing is logged */
  readonly log?: (line: string) => void
}

/** Anything with an address, such as a Keypair of any version of stellar-sdk. */
export interface PublicKeyHolder {
  publicKey(): string
}

/** Decimals with at most 7 places, as in operations of stellar-sdk: `{ XLM: '5', USDC: '0.25' }`. */
export type FundedAmounts = { readonly [Asset in FaucetAsset]?: string }

/**
 * Arguments of a contract's constructor. By name they are values as stellar-sdk's `contract.Client` takes them: an
 * address is a string, an i128 a bigint.
 */
export type ContractArguments = Readonly<Record<string, unknown>> | readonly xdr.ScVal[]

export interface LedgerFacts {
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime: number
  /** Hex of the hash of its header, which is chained to all ledgers before. */
  readonly hash: string
}

/** The ledger that was the latest when the snapshot was taken. The rest of a snapshot is private. */
export type LedgerSnapshot = LedgerFacts

/** A Stellar network of one node in this process. It ends with `close()`, or with the scope of `await using`. */
export interface EmbeddedNetwork extends AsyncDisposable {
  /** Address of Stellar RPC, over http: `new rpc.Server(rpcUrl, { allowHttp: true })`. */
  readonly rpcUrl: string
  readonly networkPassphrase: string
  /** The USDC of `fund`: testnet's issuer, and the contract (`C...`) of the asset. */
  readonly usdc: { readonly code: 'USDC'; readonly issuer: string; readonly contract: string }
  /** `C...` of the settlement contract of the scheme `upto`. */
  readonly uptoContract: string
  readonly latestLedger: LedgerFacts

  /**
   * Milliseconds since the Unix epoch on the clock of the ledgers: the time now, and what `travel` added. After
   * travelling, set the clock of code under test to it, because libraries compute time bounds from `Date.now()`.
   */
  now(): number

  /**
   * Pays XLM and USDC, and resolves when the payment is on a ledger. Creates what is missing: the account, with 10,000
   * XLM unless XLM is requested, and the trustline. Without an account it pays a new one.
   *
   * Rejects with RangeError for an amount that is no positive decimal and for an address that is neither `G...` nor
   * `C...`, and with FaucetFailure when the payment fails.
   *
   * @param account address, or a key
   * @param amounts default: 10,000 XLM
   * @returns the account, as it was given; a new one as a Keypair
   */
  fund(amounts?: FundedAmounts): Promise<Keypair>
  fund<Account extends string | PublicKeyHolder>(
    account: Account,
    amounts?: FundedAmounts,
  ): Promise<Account>

  /**
   * Uploads a contract and creates an instance, as the root account of the network. Rejects with an Error that has
   * the reason of the simulation or of the transaction, and when the constructor needs the authorization of another
   * account.
   *
   * @param wasm the code, or the path or file URL of it
   * @returns the id of the contract, `C...`; a new one each time
   */
  deploy(wasm: Uint8Array | string | URL, constructorArguments?: ContractArguments): Promise<string>

  /** Closes a ledger now, with all transactions that wait for one. `close()` ends the network. */
  closeLedger(): Promise<LedgerFacts>

  /**
   * Lets time pass: closes one ledger, at least `seconds` later, whose sequence is `seconds / 5` higher, rounded, at
   * least 1. So time bounds, authorizations (by ledger sequence) and TTLs (by ledger sequence) expire as if the
   * network had closed a ledger every five seconds. Transactions that wait are in that ledger, if still valid.
   *
   * Rejects with RangeError unless `seconds` is a positive integer, or past ledger 2,147,483,647.
   */
  travel(seconds: number): Promise<LedgerFacts>

  /** The ledger, its history, and the clock. Costs no copy of the entries, and stays valid for any number of restores. */
  snapshot(): Promise<LedgerSnapshot>

  /**
   * Goes back to a snapshot, also to one of before an earlier restore. Clients stay connected. Forgets transactions
   * that wait for a ledger. What was travelled since the snapshot no longer counts.
   *
   * Also takes a snapshot of another network of this process; rejects with SnapshotMismatch when that has another
   * passphrase or other limits, and with TypeError for anything else.
   */
  restore(snapshot: LedgerSnapshot): Promise<void>

  /** Ends the network: frees its port and its memory, and leaves nothing that keeps Node running. */
  close(): Promise<void>
}
