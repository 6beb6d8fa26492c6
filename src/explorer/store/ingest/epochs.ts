import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import { addBackfill } from '../registry/backfills.ts'
import type { LedgerSpan } from './gaps.ts'
import { recordGap } from './gaps.ts'
import { type EpochKey, ProgressMoved, readProgress, type TailProgress } from './progress.ts'

/** Where a new epoch begins to be read. */
export interface EpochStart {
  /** The first ledger of the live tail. */
  readonly tailFrom: number
  /** Older ledgers, read beside it; empty when `from` is greater than `through`. */
  readonly backfill: LedgerSpan
  readonly headLedger: number
  /** Close time of the head, in Unix seconds. */
  readonly headClosedAt: number
}

/**
 * Begins a history of the network: its first one, or a new one after a reset. What was still to be read of the
 * old history is gone with it, and becomes a gap of the old epoch.
 * @param old the epoch that ends; undefined when the network is first seen
 * @throws ProgressMoved when the network has another epoch now
 */
export async function beginEpoch(
  transaction: DbTransaction,
  network: NetworkId,
  old: number | undefined,
  { tailFrom, backfill, headLedger, headClosedAt }: EpochStart,
): Promise<EpochKey> {
  const before = await readProgress(transaction, network)
  if (before?.epoch !== old) throw new ProgressMoved(`the epoch of ${network}`)
  if (before) await closeEpoch(transaction, network, before)
  const { rows } = await sql<{ id: number }>`
    insert into explorer_epochs (network, started_at) values (${network}, clock_timestamp())
    returning id`.execute(transaction)
  const [row] = rows
  if (!row) throw new Error('an inserted epoch has no row')
  await transaction.deleteFrom('explorer_progress').where('network', '=', network).execute()
  await sql`insert into explorer_progress
      (network, epoch, last_ledger, last_closed_at, high_water, head_ledger, last_poll_at)
    values (${network}, ${row.id}, ${tailFrom - 1}, ${headClosedAt}, ${headLedger}, ${headLedger},
      clock_timestamp())`.execute(transaction)
  const epoch = { network, id: row.id }
  await addBackfill(transaction, epoch, backfill)
  return epoch
}

async function closeEpoch(
  transaction: DbTransaction,
  network: NetworkId,
  { epoch: id, lastLedger, highWater }: TailProgress,
): Promise<void> {
  const epoch = { network, id }
  const unread = await transaction
    .deleteFrom('explorer_backfills')
    .where('network', '=', network)
    .where('epoch', '=', id)
    .returning(['next_ledger', 'target_ledger'])
    .execute()
  for (const { next_ledger: from, target_ledger: through } of unread) {
    await recordGap(transaction, epoch, { from, through })
  }
  if (lastLedger < highWater) {
    await recordGap(transaction, epoch, { from: lastLedger + 1, through: highWater })
  }
}
