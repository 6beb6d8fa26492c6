/** Older ledgers of a network that are still to be read: each backfill is a range, read from its oldest ledger on. */
import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { LedgerSpan } from '../ingest/gaps.ts'
import { type EpochKey, ProgressMoved } from '../ingest/progress.ts'

export interface Backfill {
  /** The first ledger that is not written yet. */
  readonly next: number
  /** The last ledger of the range. */
  readonly target: number
}

/** The range is read beside the live tail. An empty range changes nothing. */
export async function addBackfill(
  transaction: DbTransaction,
  { network, id }: EpochKey,
  { from, through }: LedgerSpan,
): Promise<void> {
  if (from > through) return
  await sql`insert into explorer_backfills (network, epoch, next_ledger, target_ledger)
    values (${network}, ${id}, ${from}, ${through})
    on conflict (network, epoch, target_ledger) do update
      set next_ledger = least(explorer_backfills.next_ledger, excluded.next_ledger)`.execute(
    transaction,
  )
}

/** The backfills of the epoch, the oldest ledgers first. */
export async function listBackfills(
  db: Db,
  { network, id }: EpochKey,
): Promise<readonly Backfill[]> {
  const rows = await db
    .selectFrom('explorer_backfills')
    .select(['next_ledger', 'target_ledger'])
    .where('network', '=', network)
    .where('epoch', '=', id)
    .orderBy('next_ledger')
    .orderBy('target_ledger')
    .execute()
  return rows.map((row) => ({ next: row.next_ledger, target: row.target_ledger }))
}

/**
 * Moves a backfill on; a finished one is deleted. Throws `ProgressMoved` when it is not where it was read.
 * @param next the first ledger that is not written
 */
export async function moveBackfill(
  transaction: DbTransaction,
  { network, id }: EpochKey,
  { next: from, target }: Backfill,
  next: number,
): Promise<void> {
  const row = sql`network = ${network} and epoch = ${id} and target_ledger = ${target}
    and next_ledger = ${from}`
  const { numAffectedRows } =
    next > target
      ? await sql`delete from explorer_backfills where ${row}`.execute(transaction)
      : await sql`update explorer_backfills set next_ledger = ${next} where ${row}`.execute(
          transaction,
        )
  if (numAffectedRows !== 1n) throw new ProgressMoved(`a backfill of ${network}`)
}
