import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { isoTime } from '../../../platform/core/text/iso-time.ts'
import type { Db } from '../../../platform/database/schema.ts'

/** An ingest entry of the analytics interface. */
export interface IngestState {
  readonly network: NetworkId
  readonly consecutiveFailures: number
  /** ISO time at which the explorer first saw this history of the network. */
  readonly epoch?: string
  readonly lastLedger?: number
  readonly lastClosedAt?: string
  readonly headLedger?: number
  readonly lastPollAt?: string
  readonly lastError?: string
  /** `done` or `running (target ledger N)`, where N is the last ledger that is still to be read. */
  readonly backfill: string
  /** The newest 20 gaps of the present epoch. */
  readonly gaps: { readonly fromLedger: number; readonly throughLedger: number }[]
}

const MAX_GAPS = 20

/** One entry for each of the networks, in their order; one that was never reached has no epoch. */
export async function readIngest(
  db: Db,
  networks: readonly NetworkId[],
): Promise<readonly IngestState[]> {
  const { rows } = await sql<IngestRow>`
    select progress.*, epoch.started_at,
      (select max(target_ledger) from explorer_backfills backfill
        where backfill.network = progress.network and backfill.epoch = progress.epoch) as target,
      (select coalesce(json_agg(gap), '[]') from (
        select from_ledger as "fromLedger", through_ledger as "throughLedger" from explorer_gaps gap
        where gap.network = progress.network and gap.epoch = progress.epoch
        order by from_ledger desc limit ${MAX_GAPS}) as gap) as gaps
    from explorer_progress progress
    join explorer_epochs epoch on epoch.id = progress.epoch
    where progress.network = any(${networks})`.execute(db)
  const byNetwork = new Map(rows.map((row) => [row.network, row]))
  return networks.map((network) => ingestState(network, byNetwork.get(network)))
}

interface IngestRow {
  network: NetworkId
  started_at: Date
  last_ledger: number
  last_closed_at: bigint
  head_ledger: number
  last_poll_at: Date | null
  consecutive_failures: number
  last_error: string | null
  target: number | null
  gaps: { fromLedger: number; throughLedger: number }[]
}

function ingestState(network: NetworkId, row: IngestRow | undefined): IngestState {
  if (!row) return { network, consecutiveFailures: 0, backfill: 'done', gaps: [] }
  const { target, gaps } = row
  return {
    network,
    consecutiveFailures: row.consecutive_failures,
    epoch: row.started_at.toISOString(),
    lastLedger: row.last_ledger,
    lastClosedAt: isoTime(Number(row.last_closed_at) * 1_000),
    headLedger: row.head_ledger,
    ...(row.last_poll_at && { lastPollAt: row.last_poll_at.toISOString() }),
    ...(row.last_error !== null && { lastError: row.last_error }),
    backfill: target === null ? 'done' : `running (target ledger ${target})`,
    gaps,
  }
}
