import { MAX_VALIDITY_SECONDS } from './follow/ledger-outcome.ts'

/**
 * Waits and periods of the facilitator, in milliseconds. They are no settings: an administrator has no
 * reason to change them, while tests shorten them.
 */
export interface Timings {
  /** A settlement waits this long for a free channel before it is refused. */
  readonly channelWaitMs: number
  /**
   * A channel that is kept for payers without one is idle for at most this long, and until the next statement of the
   * queue, while a settlement waits. Shorter than a ledger: a payment that gets it then is still in the next one.
   */
  readonly channelKeptMs: number
  /** Another process may take over a claim without a recorded envelope after this; well over channelWaitMs. */
  readonly claimTtlMs: number
  /** Length of a channel lease; longer than a transaction is valid, so that it never lapses under one. */
  readonly leaseTtlMs: number
  /** A request waits this long for the ledger before it answers `settlement_pending`. */
  readonly confirmWindowMs: number
  /** The same after an endpoint has refused the transaction; two ledgers, in which it is if the endpoint lied. */
  readonly refusedWaitMs: number
  /** A repeat waits this long for the settlement it repeats. */
  readonly duplicateWaitMs: number
  /**
   * The recorded envelope is sent again this often until it is on the ledger; half as often once an
   * endpoint has confirmed that it is queued.
   */
  readonly rebroadcastMs: number
  /**
   * The process that follows a settlement moves its due time this far ahead; well over rebroadcastMs. After a
   * crash, another replica takes the settlement over this much later.
   */
  readonly followedForMs: number
  /** An unresolvable settlement is looked up again this often. */
  readonly lookAgainMs: number
  /** A settlement transaction is valid for at most this many seconds of network time; at most MAX_VALIDITY_SECONDS. */
  readonly validitySeconds: number
  /** A stop waits this long for settlements in progress; another replica follows the rest. */
  readonly stopWaitMs: number
  /** Time limit of one RPC request; then the next endpoint is tried. */
  readonly rpcTimeoutMs: number
  /** A network that did not answer at the start is tried this often. */
  readonly reopenMs: number
  /** Poll period of networks and store, for `/health` and for what every payment needs. */
  readonly monitorMs: number
  /** Time limit of one read of a poll; under monitorMs. */
  readonly readWithinMs: number
  /** Counters are written to the store this often. */
  readonly countersMs: number
  /** Interval of a replica's heartbeats in the store; a third of what `svc retire` waits for. */
  readonly heartbeatMs: number
  /** Interval of the rounds of a settlement contract's keeper, over all replicas. */
  readonly keeperMs: number
  /** A sponsor balance older than this counts as unknown. */
  readonly balanceStaleMs: number
}

export const defaultTimings: Timings = {
  channelWaitMs: 5_000,
  channelKeptMs: 2_500,
  claimTtlMs: 30_000,
  leaseTtlMs: 120_000,
  confirmWindowMs: 25_000,
  refusedWaitMs: 10_000,
  duplicateWaitMs: 25_000,
  rebroadcastMs: 3_000,
  followedForMs: 10_000,
  lookAgainMs: 300_000,
  validitySeconds: MAX_VALIDITY_SECONDS,
  stopWaitMs: 5_000,
  rpcTimeoutMs: 5_000,
  reopenMs: 5_000,
  monitorMs: 15_000,
  readWithinMs: 10_000,
  countersMs: 5_000,
  heartbeatMs: 10_000,
  keeperMs: 60_000,
  balanceStaleMs: 60_000,
}
