/**
 * How long the engine waits, in milliseconds. Parameters rather than settings: an operator has no
 * reason to change them, a test has every reason to shorten them.
 */
export interface Timings {
  /** A settlement waits this long for a free channel before it is refused. */
  readonly channelWaitMs: number
  /** A claim without a recorded envelope may be taken over after this; well over channelWaitMs. */
  readonly claimTtlMs: number
  /** A channel lease; over the longest life of a transaction, so that it never lapses under one. */
  readonly leaseTtlMs: number
  /** A request waits this long for the ledger before it answers `settlement_pending`. */
  readonly confirmWindowMs: number
  /** A repeat waits this long for the settlement it repeats. */
  readonly duplicateWaitMs: number
  /**
   * The recorded bytes are sent again this often until the ledger answers; half as often once the
   * network said that it has them.
   */
  readonly rebroadcastMs: number
  /**
   * A follower says this long in advance that it follows a settlement; well over rebroadcastMs. A dead
   * replica's settlements are looked after by another one so much later.
   */
  readonly followedForMs: number
  /** A settlement transaction is valid for at most this many seconds of network time. */
  readonly validitySeconds: number
  /** A stop waits this long for what is still followed; another replica follows the rest. */
  readonly lastLookMs: number
  /** One request to an RPC endpoint waits this long for its answer; then another endpoint is asked. */
  readonly rpcTimeoutMs: number
  /** Network and store are polled this often, for `/health` and for what payments need at once. */
  readonly monitorMs: number
  /** One reading of a poll waits this long for its answer; under monitorMs. */
  readonly readWithinMs: number
  /** What was counted for all replicas is written to the store this often. */
  readonly tallyMs: number
  /** A sponsor balance older than this counts as unknown. */
  readonly balanceStaleMs: number
}

export const defaultTimings: Timings = {
  channelWaitMs: 5_000,
  claimTtlMs: 30_000,
  leaseTtlMs: 120_000,
  confirmWindowMs: 25_000,
  duplicateWaitMs: 25_000,
  rebroadcastMs: 3_000,
  followedForMs: 10_000,
  validitySeconds: 60,
  lastLookMs: 5_000,
  rpcTimeoutMs: 5_000,
  monitorMs: 15_000,
  readWithinMs: 10_000,
  tallyMs: 5_000,
  balanceStaleMs: 60_000,
}
