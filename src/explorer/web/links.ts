import type { NetworkId } from '../../platform/core/caip2.ts'
import type { FeedFilters } from '../reads.ts'
import type { Span } from './window.ts'

/** The paths of the pages, as routes declare them; `:name` stands for one segment. */
export const pagePaths = {
  overview: '/ui/',
  payments: '/ui/payments',
  payment: '/ui/payments/:hash',
  sellers: '/ui/sellers',
  seller: '/ui/sellers/:payTo',
  catalog: '/ui/catalog',
  listing: '/ui/catalog/:id',
  facilitators: '/ui/facilitators',
  facilitator: '/ui/facilitators/:id',
  asset: '/ui/asset/:contract',
  address: '/ui/address/:address',
  find: '/ui/find',
  live: '/ui/live',
} as const

type QueryValue = string | number | boolean | undefined

/** A path with the parameters that have a value. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

const fill = (path: string, value: string): string =>
  path.replace(/:\w+/, () => encodeURIComponent(value))

export interface OfNetwork {
  readonly network?: NetworkId | undefined
}

/** The question and the filters of the catalog's page, and where a page of its results begins. */
export interface CatalogQuery extends OfNetwork {
  readonly q?: string | undefined
  readonly type?: string | undefined
  readonly maxPrice?: string | undefined
  readonly asset?: string | undefined
  readonly scheme?: string | undefined
  readonly trust?: string | undefined
  readonly payTo?: string | undefined
  readonly cursor?: string | undefined
  readonly offset?: number | undefined
  readonly asOf?: string | undefined
}

/** Filters of the feed and a cursor; one that is undefined is left out. */
type LinkedFilters = {
  readonly [Name in keyof FeedFilters]?: FeedFilters[Name] | undefined
} & { readonly cursor?: string | undefined }

/** Addresses of pages. Every figure links with these to the rows behind it. */
export const linkTo = {
  overview: (query: OfNetwork & { readonly window?: Span | undefined } = {}) =>
    withQuery(pagePaths.overview, { ...query }),
  payments: (filters: LinkedFilters = {}) => withQuery(pagePaths.payments, { ...filters }),
  payment: (txHash: string) => fill(pagePaths.payment, txHash),
  sellers: (
    query: OfNetwork & {
      readonly window?: Span | undefined
      readonly registered?: boolean | undefined
      readonly offset?: number | undefined
    } = {},
  ) => withQuery(pagePaths.sellers, { ...query }),
  seller: (payTo: string, query: OfNetwork = {}) =>
    withQuery(fill(pagePaths.seller, payTo), { ...query }),
  catalog: (query: CatalogQuery = {}) => withQuery(pagePaths.catalog, { ...query }),
  listing: (id: string) => fill(pagePaths.listing, id),
  facilitators: (query: OfNetwork & { readonly window?: Span | undefined } = {}) =>
    withQuery(pagePaths.facilitators, { ...query }),
  facilitator: (id: string) => fill(pagePaths.facilitator, id),
  asset: (contract: string, query: OfNetwork = {}) =>
    withQuery(fill(pagePaths.asset, contract), { ...query }),
  address: (address: string) => fill(pagePaths.address, address),
} as const
