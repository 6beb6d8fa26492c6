import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'

/** Rows of one statement; small, so that no other writer waits long for their locks. */
const BATCH_ROWS = 10_000

/**
 * Deletes counts older than `keptDays`, and writers and keys that have written nothing, or were not used, for so long. Any
 * number of replicas share the work. Returns how many counts it deleted.
 */
export async function deleteOldUsage(db: Db, keptDays: number): Promise<number> {
  await sql`delete from usage_writers
    where written_at < clock_timestamp() - ${keptDays}::integer * interval '1 day'`.execute(db)
  await sql`delete from api_key_uses
    where last_used_at < clock_timestamp() - ${keptDays}::integer * interval '1 day'`.execute(db)
  for (let deleted = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`delete from usage_counts where ctid = any(array(
      select ctid from usage_counts
      where day < (clock_timestamp() at time zone 'UTC')::date - ${keptDays}::integer
      limit ${BATCH_ROWS}::integer for update skip locked))`.execute(db)
    deleted += Number(numAffectedRows)
    if (numAffectedRows < BATCH_ROWS) return deleted
  }
}
