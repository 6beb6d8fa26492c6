import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'

export interface ListingDay {
  readonly listing: string
  /** Days of UTC since the Unix epoch. */
  readonly day: number
  readonly settlements: number
}

/** How many settlements the catalog in this database has recorded for listings, by day from `fromDay` on; days without one are left out. */
export async function readListingActivity(
  db: Db,
  listings: readonly string[],
  fromDay: number,
): Promise<readonly ListingDay[]> {
  const { rows } = await sql<ListingDay>`
    select listing_id as listing, floor(date_part('epoch', at) / 86400)::integer as day,
      count(*)::integer as settlements
    from catalog_outcomes
    where listing_id = any(${listings}::uuid[])
      and at >= to_timestamp(${fromDay}::double precision * 86400)
    group by 1, 2`.execute(db)
  return rows
}
