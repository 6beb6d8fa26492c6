import type { Db } from '../../platform/database/schema.ts'
import { readListingActivity } from '../store/catalog/read-listing-activity.ts'

const DAY_MS = 86_400_000

/** Days that the activity of a listing covers, today included. */
const ACTIVITY_DAYS = 30

/** Settlements by listing and day of UTC, oldest day first, the last one is today's. */
export type ListingActivity = ReadonlyMap<string, readonly number[]>

export async function listingActivity(
  db: Db,
  listings: readonly string[],
  now: number,
): Promise<ListingActivity> {
  const first = Math.floor(now / DAY_MS) - ACTIVITY_DAYS + 1
  const found = listings.length === 0 ? [] : await readListingActivity(db, listings, first)
  const byListing = Map.groupBy(found, ({ listing }) => listing)
  return new Map(
    listings.map((id) => {
      const counts = new Map(
        byListing.get(id)?.map(({ day, settlements }) => [day, settlements] as const),
      )
      return [id, Array.from({ length: ACTIVITY_DAYS }, (_, at) => counts.get(first + at) ?? 0)]
    }),
  )
}
