import type { BackoffBounds } from '../../platform/core/time/backoff.ts'

/** Times and amounts of ingest; tests and measurements change them. */
export interface IngestTimings {
  /** Between two requests for a ledger that is due. */
  readonly pollMs: number
  /** Longest pause between two requests while no ledger comes at a regular time. */
  readonly irregularPollMs: number
  /** Between two pages of older ledgers. */
  readonly backfillPauseMs: number
  /** How often an idle backfill looks for work. */
  readonly idleBackfillMs: number
  /** The lease ends this long after it was renewed last. */
  readonly leaseTtlMs: number
  readonly renewLeaseMs: number
  /** How often a process without the lease tries to get it. */
  readonly acquireLeaseMs: number
  /** After a failed round. */
  readonly retry: BackoffBounds
  /**
   * For how long every answer must show a reset before a new epoch begins. Longer than the 30 s after which the pool
   * asks an endpoint again that it has not used: one endpoint alone must not end an epoch.
   */
  readonly confirmResetMs: number
  /** The same for a fall of at most 100 ledgers. */
  readonly confirmSmallResetMs: number
  /** For how long every endpoint must lack a ledger before it counts as lost. */
  readonly confirmGapMs: number
  /** The live tail begins this many ledgers before the latest one. */
  readonly tailLedgers: number
  /** A tail that is farther behind jumps to the head, and what it missed becomes a backfill. */
  readonly maxTailLagLedgers: number
  /** Ledgers before the last written one that a process reads again when it begins. */
  readonly overlapLedgers: number
  /** Transactions in a page, at most 200. */
  readonly pageSize: number
  /** How often windows, moves between facilitators and old months are looked after. */
  readonly upkeepMs: number
}

export const defaultIngestTimings: IngestTimings = {
  pollMs: 250,
  irregularPollMs: 1_000,
  backfillPauseMs: 250,
  idleBackfillMs: 1_000,
  leaseTtlMs: 6_000,
  renewLeaseMs: 1_500,
  acquireLeaseMs: 1_000,
  retry: { baseMs: 500, maxMs: 10_000 },
  confirmResetMs: 45_000,
  confirmSmallResetMs: 300_000,
  confirmGapMs: 10_000,
  tailLedgers: 120,
  maxTailLagLedgers: 1_000,
  overlapLedgers: 12,
  pageSize: 200,
  upkeepMs: 5_000,
}
