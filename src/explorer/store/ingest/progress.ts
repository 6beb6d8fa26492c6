/** How far the live tail of each network has come. */
import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'

/** A network's history from one reset to the next. */
export interface EpochKey {
  readonly network: NetworkId
  readonly id: number
}

export interface TailProgress {
  readonly epoch: number
  /** The tail has written every ledger up to this one, from its start on. */
  readonly lastLedger: number
  /** When that ledger closed, in Unix seconds; never earlier than it did. */
  readonly lastClosedAt: number
  /** The highest ledger of this epoch that was ever seen. */
  readonly highWater: number
  readonly headLedger: number
}

/** The row is not as this process left it: another one has written, or an earlier write took effect without an answer. */
export class ProgressMoved extends Error {
  override readonly name = 'ProgressMoved'

  constructor(what: string) {
    super(`${what} has moved since it was read`)
  }
}

/** Undefined before the network is first seen. */
export async function readProgress(db: Db, network: NetworkId): Promise<TailProgress | undefined> {
  const row = await db
    .selectFrom('explorer_progress')
    .selectAll()
    .where('network', '=', network)
    .executeTakeFirst()
  return (
    row && {
      epoch: row.epoch,
      lastLedger: row.last_ledger,
      lastClosedAt: Number(row.last_closed_at),
      highWater: row.high_water,
      headLedger: row.head_ledger,
    }
  )
}

export interface ProgressMove {
  /** `lastLedger` as it was read. */
  readonly from: number
  readonly lastLedger: number
  /** Unix seconds. */
  readonly lastClosedAt: number
  readonly headLedger: number
}

/** Moves the tail, and ends its failures. Throws `ProgressMoved` when the row is not where it was read. */
export async function moveProgress(
  transaction: DbTransaction,
  epoch: EpochKey,
  { from, lastLedger, lastClosedAt, headLedger }: ProgressMove,
): Promise<void> {
  const { numAffectedRows } = await sql`update explorer_progress set
      last_ledger = ${lastLedger},
      last_closed_at = ${lastClosedAt},
      high_water = greatest(high_water, ${headLedger}),
      head_ledger = ${headLedger},
      last_poll_at = clock_timestamp(),
      consecutive_failures = 0,
      last_error = null
    where network = ${epoch.network} and epoch = ${epoch.id} and last_ledger = ${from}`.execute(
    transaction,
  )
  if (numAffectedRows !== 1n) throw new ProgressMoved(`the tail of ${epoch.network}`)
}

/**
 * Keeps the epoch from changing until the end of the transaction. Throws `ProgressMoved` when it has: what was read
 * of the old epoch is no longer written.
 */
export async function holdEpoch(transaction: DbTransaction, epoch: EpochKey): Promise<void> {
  const held = await transaction
    .selectFrom('explorer_progress')
    .select('epoch')
    .where('network', '=', epoch.network)
    .where('epoch', '=', epoch.id)
    // Locks the key alone: the tail may move at the same time.
    .forKeyShare()
    .executeTakeFirst()
  if (!held) throw new ProgressMoved(`the epoch of ${epoch.network}`)
}

/** A poll that found no new ledger. */
export async function notePoll(db: DbTransaction, network: NetworkId): Promise<void> {
  await sql`update explorer_progress
    set last_poll_at = clock_timestamp(), consecutive_failures = 0, last_error = null
    where network = ${network}`.execute(db)
}

/** @param message for people; without secrets */
export async function noteFailure(
  db: DbTransaction,
  network: NetworkId,
  message: string,
): Promise<void> {
  await sql`update explorer_progress set last_poll_at = clock_timestamp(),
      consecutive_failures = consecutive_failures + 1, last_error = ${message}
    where network = ${network}`.execute(db)
}
