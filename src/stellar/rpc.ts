/**
 * What this service asks of a Stellar RPC endpoint, as a port: `rpc-client.ts` is the
 * implementation over JSON-RPC. Every method throws `RpcError` when it has no answer, and the
 * signal's reason when it aborts.
 */
import type { Stroops } from '../core/stroops.ts'
import type { HostEvent } from './sc-value.ts'

export interface StellarRpc {
  latestLedger(signal?: AbortSignal): Promise<LedgerTip>
  /**
   * Simulates one envelope (base64 XDR). Authorization entries in it are enforced: signatures
   * and nonces are checked as the ledger would check them.
   */
  simulate(envelopeXdr: string, signal?: AbortSignal): Promise<Simulation>
  /** Hands a signed envelope (base64 XDR) to the network's queue. Sending the same bytes again is harmless. */
  send(envelopeXdr: string, signal?: AbortSignal): Promise<SendOutcome>
  /** @param hash 64 hex digits; of the fee bump or of the transaction inside it */
  transaction(hash: string, signal?: AbortSignal): Promise<TransactionStatus>
  /**
   * Looks for many transactions at once: through everything that landed after `ledger`. What is not
   * found is in none of the ledgers up to `throughLedger`, as far as one endpoint knows: enough to
   * go on waiting, never a proof. Throws when ledgers after `ledger` are no longer retained.
   * @param wanted 64 hex digits each; of the envelopes as sent
   */
  transactionsSince(
    ledger: number,
    wanted: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<FoundTransactions>
  /** The accounts that exist among `addresses` (`G...`), by address. Any number may be asked for. */
  accounts(
    addresses: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, AccountState>>
  /** The entries that exist among `keys` (base64 XDR `LedgerKey`). Any number may be asked for. */
  ledgerEntries(keys: readonly string[], signal?: AbortSignal): Promise<LedgerEntries>
  feeStats(signal?: AbortSignal): Promise<FeeStats>
}

export interface LedgerTip {
  /** The newest closed ledger. */
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime: number
  readonly protocolVersion: number
}

export type Simulation = SimulationSuccess | SimulationFailure

export interface SimulationSuccess {
  readonly kind: 'ok'
  /** The ledger on whose state the call ran. */
  readonly latestLedger: number
  readonly minResourceFee: Stroops
  /** Base64 XDR `SorobanTransactionData`: footprint, resources and the resource fee. */
  readonly transactionData: string
  readonly events: readonly HostEvent[]
  /** Whether state it needs is archived, so that the ledger would have to restore it first. */
  readonly needsRestore: boolean
}

export interface SimulationFailure {
  readonly kind: 'failed'
  readonly latestLedger: number
  /** The host's text, for instance `HostError: Error(Contract, #10)` and its event log. */
  readonly error: string
  readonly events: readonly HostEvent[]
}

/** Why a transaction did not succeed, in XDR names: `txBadSeq`, `txFailed` and what lies inside. */
export interface ResultCodes {
  /** Of the transaction; of the inner one when a fee bump reports its inner failure. */
  readonly resultCode?: string
  /** Of the first operation that failed, else of the first: `invokeHostFunctionTrapped`. */
  readonly operationCode?: string
}

export interface SendOutcome extends ResultCodes {
  readonly status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR'
  /** 64 hex digits of the sent envelope; for a fee bump, the fee bump's. */
  readonly hash: string
  readonly latestLedger: number
  /** Unix seconds. */
  readonly latestCloseTime: number
  readonly events: readonly HostEvent[]
}

/** The range of ledgers the endpoint has looked through to answer. */
export interface LedgerRange {
  readonly latestLedger: number
  /** Unix seconds. */
  readonly latestCloseTime: number
  readonly oldestLedger: number
  /** Unix seconds. */
  readonly oldestCloseTime: number
}

export type TransactionStatus =
  | (LedgerRange & { readonly status: 'NOT_FOUND' })
  | (LedgerRange & AppliedStatus & ResultCodes & { readonly status: 'SUCCESS' | 'FAILED' })

export type AppliedTransaction = Extract<TransactionStatus, { status: 'SUCCESS' | 'FAILED' }>

export interface FoundTransactions extends LedgerRange {
  /** The newest ledger that was looked through to its end. */
  readonly throughLedger: number
  /** By hash. */
  readonly found: ReadonlyMap<string, AppliedTransaction>
}

export interface AppliedStatus {
  readonly ledger: number
  /** Close time of that ledger, Unix seconds. */
  readonly createdAt: number
  readonly feeCharged: Stroops
  readonly events: readonly HostEvent[]
}

export interface AccountState {
  readonly address: string
  readonly balance: Stroops
  readonly sequence: bigint
  readonly subentries: number
  readonly sponsoring: number
  readonly sponsored: number
  /** Native currency promised to open offers. */
  readonly sellingLiabilities: Stroops
}

export interface LedgerEntries {
  readonly latestLedger: number
  readonly entries: readonly LedgerEntryXdr[]
}

export interface LedgerEntryXdr {
  /** Base64 XDR `LedgerKey`. */
  readonly key: string
  /** Base64 XDR `LedgerEntryData`. */
  readonly xdr: string
  /** Last ledger in which a contract entry is live; absent for other entries. */
  readonly liveUntilLedger?: number
}

export const feePercentiles = ['p50', 'p60', 'p70', 'p80', 'p90', 'p95', 'p99'] as const
export type FeePercentile = (typeof feePercentiles)[number]

/** What recent contract transactions bid to be included, in stroops. */
export interface FeeStats {
  readonly latestLedger: number
  readonly sorobanInclusionFee: Readonly<Record<FeePercentile | 'min' | 'max' | 'mode', Stroops>>
}

export type RpcErrorKind =
  /** No answer: refused, timed out, or not an HTTP 200. */
  | 'transport'
  /** A JSON-RPC error. */
  | 'rejected'
  /** An answer in a shape this client does not know. */
  | 'unreadable'
  /** An answer from a ledger older than one that was seen before. */
  | 'lagging'
  /** The endpoint serves a network with another passphrase. */
  | 'wrong_network'

export interface RpcErrorDetails {
  readonly cause?: unknown
  /** How long the endpoint asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** That the endpoint certainly did nothing with the request. */
  readonly wasRefused?: boolean
}

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly kind: RpcErrorKind
  readonly method: string
  readonly retryAfterMs: number | undefined
  readonly wasRefused: boolean

  constructor(kind: RpcErrorKind, method: string, message: string, details: RpcErrorDetails = {}) {
    super(`${method}: ${message}`, { cause: details.cause })
    this.kind = kind
    this.method = method
    this.retryAfterMs = details.retryAfterMs
    this.wasRefused = details.wasRefused ?? false
  }
}
