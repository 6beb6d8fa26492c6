import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** So many rows at once, so that nobody waits long for their locks. */
const AT_ONCE = 10_000

/**
 * Takes away counts older than `keptDays`, and processes that have written nothing for so long. Any
 * number of replicas share the work. Answers how many rows went.
 */
export async function deleteOldUsage(db: Db, keptDays: number): Promise<number> {
  await sql`delete from usage_writers
    where written_at < clock_timestamp() - ${keptDays}::integer * interval '1 day'`.execute(db)
  for (let gone = 0; ; ) {
    const { numAffectedRows = 0n } = await sql`delete from usage_counts where ctid = any(array(
      select ctid from usage_counts
      where day < (clock_timestamp() at time zone 'UTC')::date - ${keptDays}::integer
      limit ${AT_ONCE}::integer for update skip locked))`.execute(db)
    gone += Number(numAffectedRows)
    if (numAffectedRows < AT_ONCE) return gone
  }
}
