import { constraintsOfFilters } from '../search/query/filters.ts'
import { optionMatches } from '../search/query/matches.ts'
import type { SearchFilters } from '../search-service.ts'
import type { ListingDetail } from '../store/discovery/discovery-listings.ts'
import { contentOf } from './item.ts'
import type { ShowOptions } from './load-items.ts'

/** Shows the options in `asset` and up to `maxPrice`, judged as the ranking judges them. */
export function showAffordable({ asset, maxPrice }: SearchFilters): ShowOptions {
  if (asset === undefined && maxPrice === undefined) return (_detail, places) => places
  const constraints = constraintsOfFilters({
    ...(asset !== undefined && { asset }),
    ...(maxPrice !== undefined && { maxPrice }),
  })
  return (detail, places) =>
    places.filter((place) => {
      const option = searchOptionOf(detail, place)
      return option !== undefined && optionMatches(option, constraints)
    })
}

function searchOptionOf(detail: ListingDetail, place: number) {
  const accepted = contentOf(detail).accepts[place]
  if (!accepted) return undefined
  const { symbol = null, decimals = null } = detail.options[place] ?? {}
  return { ...accepted, amount: BigInt(accepted.amount), symbol, decimals }
}
