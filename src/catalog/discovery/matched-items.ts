import type { Filter, FilterableListing } from '../filters/filter.ts'
import { filterableOption } from '../items/listed-listing.ts'
import type { ListingDetail } from '../store/discovery/discovery-listings.ts'
import { contentOf, itemOf, type ShownListing } from './item.ts'
import type { CatalogItem } from './item-schema.ts'

/**
 * Items in the order of `itemKeys`, with the listings and the options that meet the filter now: a listing may have
 * changed or been withdrawn since its item was found. An item without any is left out.
 *
 * @param details of these items, first published first
 */
export function matchedItems(
  itemKeys: readonly string[],
  details: readonly ListingDetail[],
  filter: Filter,
): readonly CatalogItem[] {
  const byItem = Map.groupBy(details, ({ itemKey }) => itemKey)
  return itemKeys.flatMap((key) => {
    const [first, ...others] = (byItem.get(key) ?? [])
      .filter(({ state, isLeftOut }) => state === 'published' && !isLeftOut)
      .map(
        (detail): ShownListing => ({ detail, places: filter.placesIn(filterableListing(detail)) }),
      )
      .filter(({ places }) => places.length > 0)
    return first ? [itemOf([first, ...others])] : []
  })
}

function filterableListing(detail: ListingDetail): FilterableListing {
  const { kind, extensions, accepts } = contentOf(detail)
  const options = accepts.map((option, place) => filterableOption(option, detail.options[place]))
  return { kind, network: detail.network, trust: detail.trust, extensions, options }
}
