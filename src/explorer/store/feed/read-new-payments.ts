import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { firstPositionAt } from '../ingest/position.ts'
import { columns, type Row, type StoredPayment, toPayment } from './read-feed-rows.ts'

/** Close time of the last ledger that the live tail has written, by network; Unix seconds. */
export async function readTailCloses(db: Db): Promise<ReadonlyMap<NetworkId, number>> {
  const { rows } = await sql<{ readonly network: NetworkId; readonly last_closed_at: bigint }>`
    select network, last_closed_at from explorer_progress`.execute(db)
  return new Map(rows.map(({ network, last_closed_at: at }) => [network, Number(at)]))
}

/** Ledgers of a network that closed after one time and up to another; Unix seconds. */
export interface CloseRange {
  readonly network: NetworkId
  readonly after: number
  readonly through: number
}

/** The oldest payments of these ledgers, oldest first. */
export async function readNewPayments(
  db: Db,
  ranges: readonly CloseRange[],
  limit: number,
): Promise<readonly StoredPayment[]> {
  if (ranges.length === 0) return []
  const [from, below] = [
    firstPositionAt(Math.min(...ranges.map(({ after }) => after)) + 1),
    firstPositionAt(Math.max(...ranges.map(({ through }) => through)) + 1),
  ]
  const { rows } = await sql<Row>`
    select ${columns} from explorer_payments
    where position >= ${from} and position < ${below}
      and kind in (
        select k.id from explorer_kinds k
        where ${sql.join(
          ranges.map(
            ({ network, after, through }) => sql`k.network = ${network}
              and position >= ${firstPositionAt(after + 1)} and position < ${firstPositionAt(through + 1)}`,
          ),
          sql` or `,
        )})
    order by position, tx_hash, op_index
    limit ${limit}`.execute(db)
  return rows.map(toPayment)
}
