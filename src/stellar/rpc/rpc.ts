/**
 * The requests this service sends to Stellar RPC, as an interface: `rpc-client.ts` implements it for
 * one endpoint over JSON-RPC, `rpc-pool.ts` for several. Every method throws `RpcError` when no
 * endpoint answers, and the signal's reason when it aborts.
 */

import type { Stroops } from '../../platform/core/amounts/stroops.ts'
import { Outage } from '../../platform/core/errors/outage.ts'
import { shortText } from '../../platform/core/text/short-text.ts'
import type { ArchivedContracts } from '../contracts/archived-entries.ts'
import type { HostEvent } from '../values/sc-value.ts'
import type { PageStart } from './pages/transaction-position.ts'
import type { SimulationQueue, TokenQueue } from './simulation-queue.ts'

export interface StellarRpc {
  latestLedger(signal?: AbortSignal): Promise<LedgerTip>
  /**
   * Simulates one envelope (base64 XDR). Authorization entries in it are enforced: signatures
   * and nonces are checked as the ledger would check them.
   *
   * @param queue that in which it waits for the endpoint. `simulate_token` has no effect on which endpoint payments use. @default by its size
   */
  simulate(
    envelopeXdr: string,
    signal?: AbortSignal,
    queue?: SimulationQueue | TokenQueue,
  ): Promise<Simulation>
  /** Submits a signed envelope (base64 XDR). Sending the same bytes again is harmless. */
  send(envelopeXdr: string, signal?: AbortSignal): Promise<SendOutcome>
  /** @param hash 64 hex digits; of the fee bump or of the transaction inside it */
  transaction(hash: string, signal?: AbortSignal): Promise<TransactionStatus>
  /**
   * Searches one page of the transactions from `start` on for many of them at once. According to one endpoint, one that
   * neither this page nor one before it has is in no ledger up to `throughLedger`: a reason to keep waiting, never a proof. Throws when
   * ledgers from `start` on are no longer retained.
   * @param hashes 64 hex digits each; of the envelopes as sent
   */
  transactionsSince(
    start: PageStart,
    hashes: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<FoundTransactions>
  /** The accounts that exist among any number of `addresses` (`G...`), by address. */
  accounts(
    addresses: readonly string[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, AccountState>>
  /** The entries that exist among any number of `keys` (base64 XDR `LedgerKey`). */
  ledgerEntries(keys: readonly string[], signal?: AbortSignal): Promise<LedgerEntries>
  feeStats(signal?: AbortSignal): Promise<FeeStats>
  /**
   * Sums of the XLM that moved to and from an account. Complete only where the endpoint has events of classic operations (CAP-67): compare
   * the sums with the balance. Throws also when a ledger is not retained.
   */
  lumensMoved(query: LumensQuery, signal?: AbortSignal): Promise<LumensMoved>
  /**
   * Finds the transaction that made the transfer which the payer authorized in an envelope, whoever sent it. Searches a part where very
   * many may have made it. Throws also when the endpoint lacks a ledger of the query.
   */
  madeTransfer(query: TransferQuery, signal?: AbortSignal): Promise<MadeTransfer>
}

export interface LedgerTip {
  /** The latest closed ledger. */
  readonly sequence: number
  /** Unix seconds. */
  readonly closeTime: number
  readonly protocolVersion: number
}

export type Simulation = (SimulationSuccess | SimulationFailure) & {
  /** The ledger whose state the call ran on. @default latestLedger */
  readonly simulatedOn?: number
}

export interface SimulationSuccess {
  readonly kind: 'ok'
  /** The latest ledger known; the call may have run on the state of an older one. */
  readonly latestLedger: number
  readonly minResourceFee: Stroops
  /** Base64 XDR `SorobanTransactionData`: footprint, resources and the resource fee. */
  readonly transactionData: string
  /** Base64 XDR `SCVal` that the call returned. */
  readonly returnValueXdr?: string
  readonly events: readonly HostEvent[]
  readonly output: OutputSizes
  /** Whether the call needs archived state, which has to be restored first. */
  readonly needsRestore: boolean
  /** Parts of contracts among that state. */
  readonly archived?: ArchivedContracts
}

/** Bytes of XDR that a call would leave, as the ledger counts them. */
export interface OutputSizes {
  /** All events, diagnostic ones and those of calls that were rolled back excepted, and the returned value. */
  readonly emittedBytes: number
  /** The largest entry of a contract's data that the call writes; 0 without one. */
  readonly dataEntryBytes: number
  /** The largest contract code that the call writes; 0 without one. */
  readonly codeEntryBytes: number
}

export interface SimulationFailure {
  readonly kind: 'failed'
  /** 0 when the endpoint refused the request without reading a ledger. */
  readonly latestLedger: number
  /** The host's text, for instance `HostError: Error(Contract, #10)` and its event log. */
  readonly error: string
  readonly events: readonly HostEvent[]
}

/** Why a transaction did not succeed, in XDR names: `txBadSeq`, or `txFailed` and an operation's code. */
export interface ResultCodes {
  /** Code of the transaction, or of the inner one when a fee bump reports its inner failure. */
  readonly resultCode?: string
  /** Code of the first operation that failed, else of the first: `invokeHostFunctionTrapped`. */
  readonly operationCode?: string
}

export interface SendOutcome extends ResultCodes {
  readonly status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR'
  /** With `ERROR`: for `txInsufficientFee` the whole fee that the network asks for, in stroops. */
  readonly feeCharged?: Stroops
  /** 64 hex digits of the sent envelope; for a fee bump, the fee bump's. */
  readonly hash: string
  readonly latestLedger: number
  /** Unix seconds. */
  readonly latestCloseTime: number
  readonly events: readonly HostEvent[]
}

/** The range of ledgers that the endpoint searched. */
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
  /** The last ledger that was searched completely. */
  readonly throughLedger: number
  /** By hash. */
  readonly found: ReadonlyMap<string, AppliedTransaction>
  /** The next page; absent after the last one. */
  readonly next?: PageStart
}

interface AppliedStatus {
  readonly ledger: number
  /** Close time of that ledger, Unix seconds. */
  readonly createdAt: number
  readonly feeCharged: Stroops
  /** What the host reported of a failed transaction; not decoded after a success, so empty. */
  readonly events: readonly HostEvent[]
}

export interface AccountState {
  readonly address: string
  readonly balance: Stroops
  readonly sequence: bigint
  readonly subentries: number
  readonly sponsoring: number
  readonly sponsored: number
  /** Its own key is too weak to merge it; absent where it can. */
  readonly keyLacksWeight?: true | undefined
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

export interface LumensQuery {
  /** `G...` */
  readonly account: string
  readonly passphrase: string
  /** Movements of later ledgers count, up to and with `throughLedger`. */
  readonly afterLedger: number
  readonly throughLedger: number
}

export interface LumensMoved {
  /** Stroops by the address that they came from: `G...`, or of a contract, a claimable balance or a pool. */
  readonly received: ReadonlyMap<string, bigint>
  /** Stroops by the address that they went to. */
  readonly sent: ReadonlyMap<string, bigint>
  /** Stroops charged for transactions, refunds deducted. */
  readonly fees: bigint
  /** The latest ledger that the endpoint has: when it is before `throughLedger`, the sums are not complete. */
  readonly latestLedger: number
}

export interface TransferQuery {
  /** Base64; has the payer's authorization of the transfer. */
  readonly envelopeXdr: string
  /** Token contract, `C...`. */
  readonly asset: string
  /** `G...` or `C...` */
  readonly payer: string
  /** The nonce of that authorization. */
  readonly nonce: bigint
  /** Transactions of later ledgers count, up to and with `throughLedger`. */
  readonly afterLedger: number
  /** @default the latest ledger of the endpoint, or `validThrough` */
  readonly throughLedger?: number | undefined
  /** The last ledger in which the authorization is valid, where it is known. */
  readonly validThrough?: number | undefined
}

export type MadeTransfer = { readonly latestLedger: number } & (
  | {
      readonly state: 'made'
      /** 64 hex digits; of the fee bump if there is one. */
      readonly transaction: string
      readonly ledger: number
      /** `G...`, the sources of the transaction, of its operations and of its fee. */
      readonly sources: readonly string[]
    }
  /** No transaction of these ledgers made it. */
  | { readonly state: 'not_made' }
  /** None up to this ledger made it; ask again for those after it. */
  | { readonly state: 'unfinished'; readonly searchedThrough: number }
  /** A transaction of the payer cannot be read, which may have made it. */
  | { readonly state: 'unknown'; readonly because: string }
)

export const feePercentiles = ['p50', 'p60', 'p70', 'p80', 'p90', 'p95', 'p99'] as const
export type FeePercentile = (typeof feePercentiles)[number]

/** The inclusion fees that recent contract transactions bid, in stroops. */
export interface FeeStats {
  readonly latestLedger: number
  readonly sorobanInclusionFee: Readonly<Record<FeePercentile | 'min' | 'max' | 'mode', Stroops>>
}

export type RpcErrorKind =
  /** No answer: refused, timed out, or not an HTTP 200. */
  | 'transport'
  /** A JSON-RPC error. */
  | 'rejected'
  /** The ledgers asked for are older than those that the endpoint retains. */
  | 'not_retained'
  /** An answer in a shape this client does not know. */
  | 'unreadable'
  /** An answer from a ledger older than one already reported. */
  | 'lagging'
  /** The endpoint serves a network with another passphrase. */
  | 'wrong_network'
  /** Not sent, since too many requests of this process wait for the endpoint: no fault of the endpoint. */
  | 'queue_full'

export interface RpcErrorDetails {
  readonly cause?: unknown
  /** From a `Retry-After` header. */
  readonly retryAfterMs?: number | undefined
  /** Whether the endpoint certainly did not process the request. */
  readonly wasRefused?: boolean
}

/** An endpoint writes what it likes into its errors; they are logged, and shown in conditions. */
const MAX_MESSAGE_LENGTH = 2_000

export class RpcError extends Outage {
  override readonly name = 'RpcError'
  readonly kind: RpcErrorKind
  readonly method: string
  readonly retryAfterMs: number | undefined
  readonly wasRefused: boolean

  constructor(kind: RpcErrorKind, method: string, message: string, details: RpcErrorDetails = {}) {
    super(`${method}: ${shortText(message, MAX_MESSAGE_LENGTH)}`, { cause: details.cause })
    this.kind = kind
    this.method = method
    this.retryAfterMs = details.retryAfterMs
    this.wasRefused = details.wasRefused ?? false
  }

  override get publicReason(): string {
    return this.kind === 'queue_full'
      ? 'too many requests wait for the Stellar network'
      : 'the Stellar network cannot be reached'
  }
}

/** Whether the endpoint is at fault, so that the same request may succeed elsewhere or later. */
export const isEndpointFailure = ({ kind, wasRefused }: RpcError): boolean =>
  kind === 'transport' || kind === 'unreadable' || (kind === 'rejected' && !wasRefused)
