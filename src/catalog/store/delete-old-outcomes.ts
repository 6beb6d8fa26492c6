import { sql } from 'kysely'
import type { Db } from '../../platform/database/schema.ts'

/** Rows of one statement. */
export const OUTCOMES_DELETED_AT_ONCE = 500

/**
 * Deletes outcomes older than this whose settlements retention has deleted, `OUTCOMES_DELETED_AT_ONCE` at most;
 * repeats of the others still ask for theirs. Any number of replicas may call it at once. Returns how many it deleted.
 */
export async function deleteOldOutcomes(db: Db, keptDays: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from catalog_outcomes where settlement_id = any(array(
      select settlement_id from catalog_outcomes
      where at < statement_timestamp() - ${keptDays}::integer * interval '1 day'
        and not exists (select from settlements where settlements.id = catalog_outcomes.settlement_id)
      order by at limit ${OUTCOMES_DELETED_AT_ONCE}::integer for update skip locked))`.execute(db)
  return Number(numAffectedRows)
}

/** Deletes counts that no /health shows any more, and new listings that no quota counts. */
export async function deleteOldCatalogCounts(db: Db): Promise<void> {
  await sql`with old_counts as (
      delete from catalog_outcome_counts where (minute, phase, status, writer) in (
        select minute, phase, status, writer from catalog_outcome_counts
        where minute < statement_timestamp() - interval '2 hours' for update skip locked)
    )
    delete from catalog_new_listings where listing_id in (
      select listing_id from catalog_new_listings
      where at < statement_timestamp() - interval '1 day' for update skip locked)`.execute(db)
}
