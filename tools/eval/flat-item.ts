import type { FilterableOption } from '../../src/catalog/filters/filter.ts'
import type { ListedItem, ListedListing, ListedText } from '../../src/catalog/items/listed-item.ts'
import type { NetworkId } from '../../src/platform/core/caip2.ts'

/** What search sees of a resource, without its listings: their options in one list. */
export type FlatItem = ListedText & {
  readonly id: string
  readonly type: 'http' | 'mcp'
  readonly options: readonly (Omit<FilterableOption, 'account'> & {
    readonly network: NetworkId
  })[]
}

/** The item with a listing for each network, all of the same words. */
export function itemOfFlat({ id, type: kind, options, ...text }: FlatItem): ListedItem {
  const byNetwork = Map.groupBy(options, ({ network }) => network)
  const listings = [...byNetwork].map(
    ([network, some]): ListedListing => ({
      id,
      kind,
      network,
      trust: 'settled',
      firstPublishedUs: 0,
      extensions: ['bazaar'],
      options: some.map(({ network: _, ...option }) => ({ ...option, account: option.payTo })),
      text,
    }),
  )
  return { key: id, kind, firstPublishedUs: 0, listings, text }
}
