import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Random } from '../../platform/core/time/backoff.ts'
import type { SteadyClock } from '../../platform/core/time/clock.ts'
import type { Db } from '../../platform/database/schema.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import type { TransactionPages } from '../../stellar/rpc/pages/transaction-pages.ts'
import type { IngestTimings } from './timings.ts'

/** A network whose payments are observed. */
export interface IngestNetwork {
  readonly id: NetworkId
  readonly passphrase: string
  /** All endpoints of the network, through clients of `paceClients`. */
  readonly rpc: TransactionPages
  /** `C...`; contracts whose `settle` is an `upto` payment. */
  readonly uptoContracts: readonly string[]
  /** `C...` */
  readonly watchedAssets: 'all' | readonly string[]
}

/** The ledgers that one database transaction has written. */
export interface WrittenLedgers {
  readonly network: NetworkId
  /** `tail`: ledgers as they close; `backfill`: older ledgers. */
  readonly part: 'tail' | 'backfill'
  readonly throughLedger: number
  /** How many were new. */
  readonly payments: number
}

export type IngestMetrics = Pick<
  Metrics,
  | 'explorerLag'
  | 'explorerHead'
  | 'explorerIngesting'
  | 'explorerLedgers'
  | 'explorerPayments'
  | 'explorerSkipped'
  | 'explorerFailures'
  | 'explorerGaps'
  | 'explorerBackfill'
>

export interface IngestOptions {
  readonly db: Db
  readonly clock: SteadyClock
  readonly random: Random
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly metrics: IngestMetrics
  readonly networks: readonly IngestNetwork[]
  /** Names this process in the store; of no other process, now or before. */
  readonly holder: string
  /** Payments older than this are deleted. @default none is */
  readonly retentionDays?: number | undefined
  /** How many ledgers before the live tail are read at first. @default all that are retained */
  readonly backfillLedgers?: number | undefined
  /** @default `defaultIngestTimings` */
  readonly timings?: Partial<IngestTimings> | undefined
  /** Called after each transaction that has written ledgers. */
  readonly onWritten?: ((written: WrittenLedgers) => void) | undefined
}
