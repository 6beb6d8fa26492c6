import type { Db } from '../../platform/database/schema.ts'
import { type ListingDetail, readListings } from '../store/discovery/discovery-listings.ts'
import { itemOf, type ShownListing } from './item.ts'
import type { CatalogItem } from './item-schema.ts'
import type { MatchedItem } from './published-items.ts'

/** Which of the options that the filters let through are shown, by their places. @default all */
export type ShowOptions = (detail: ListingDetail, places: readonly number[]) => readonly number[]

/**
 * Reads the contents of items and shows the matched listings and options. A listing that was withdrawn since it
 * matched is left out, and an item without any other.
 */
export async function loadItems(
  db: Db,
  matched: readonly MatchedItem[],
  show: ShowOptions = (_detail, places) => places,
): Promise<readonly CatalogItem[]> {
  const ids = matched.flatMap(({ matches }) => matches.map(({ listing }) => listing.id))
  const details = new Map((await readListings(db, ids)).map((detail) => [detail.id, detail]))
  return matched.flatMap(({ matches }) => {
    const [first, ...others] = matches.flatMap(({ listing, options }): ShownListing[] => {
      const detail = details.get(listing.id)
      if (detail?.state !== 'published') return []
      const places = show(
        detail,
        options.map(({ place }) => place),
      )
      return places.length > 0 ? [{ detail, places }] : []
    })
    return first ? [itemOf([first, ...others])] : []
  })
}
