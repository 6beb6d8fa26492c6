import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { EpochKey } from './progress.ts'

export interface LedgerSpan {
  readonly from: number
  readonly through: number
}

/** Records ledgers that can never be read, as one gap with those that touch it. */
export async function recordGap(
  transaction: DbTransaction,
  { network, id }: EpochKey,
  { from, through }: LedgerSpan,
): Promise<void> {
  await sql`with merged as (
      delete from explorer_gaps
      where network = ${network} and epoch = ${id}
        and from_ledger <= ${through}::integer + 1 and through_ledger >= ${from}::integer - 1
      returning from_ledger, through_ledger
    )
    insert into explorer_gaps (network, epoch, from_ledger, through_ledger)
    select ${network}, ${id}, least(${from}::integer, min(from_ledger)),
      greatest(${through}::integer, max(through_ledger))
    from merged
    on conflict (network, epoch, from_ledger) do update
      set through_ledger = excluded.through_ledger, found_at = excluded.found_at`.execute(
    transaction,
  )
}

/** How many ledgers of the epoch can never be read. */
export async function countGapLedgers(db: Db, { network, id }: EpochKey): Promise<number> {
  const { rows } = await sql<{ ledgers: bigint }>`
    select coalesce(sum(through_ledger - from_ledger + 1), 0)::bigint as ledgers
    from explorer_gaps where network = ${network} and epoch = ${id}`.execute(db)
  return Number(rows[0]?.ledgers ?? 0n)
}
