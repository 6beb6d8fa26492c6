import type { ListResourcesQuery } from '../../../../buying/client/catalog-types.ts'
import type { CatalogQuery } from '../../links.ts'
import type { PageRequest } from '../../page.ts'

/** The parameters that narrow what is listed, each with its name in the form. */
export const filterNames = {
  type: 'Kind',
  maxPrice: 'Price at most',
  asset: 'Asset',
  scheme: 'Scheme',
  trust: 'Trust at least',
  payTo: 'Seller',
} as const

export type FilterName = keyof typeof filterNames

/** The filters in force; the catalog checks their values. */
export type CatalogFilters = Pick<CatalogQuery, FilterName | 'network'>

export function readFilters({ query, network }: Pick<PageRequest, 'query' | 'network'>) {
  const given = Object.keys(filterNames).flatMap((name) =>
    query[name] === undefined ? [] : [[name, query[name]]],
  )
  const filters: CatalogFilters = { ...Object.fromEntries(given), ...(network && { network }) }
  return filters satisfies ListResourcesQuery
}
