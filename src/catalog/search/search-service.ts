import type { CatalogFilters } from '../filters/catalog-filters.ts'

export interface SearchRequest {
  /** The question, in words. */
  readonly query: string
  /** Each must hold for one and the same payment option where it can. */
  readonly filters: CatalogFilters
}

/** How an answer was found: `hybrid` compares words and meaning, `lexical` words alone, `filter` only the constraints. */
export type SearchMethod = 'hybrid' | 'lexical' | 'filter'

export interface SearchAnswer {
  /** Items, best first, by `item_key`; empty when nothing in the catalog answers the question. */
  readonly itemKeys: readonly string[]
  readonly method: SearchMethod
  /** The constraints read from the question's words: `network=stellar:testnet`, `maxPrice=0.02 USD`. */
  readonly recognised: readonly string[]
  /** Whether the best items may not be what was asked for. */
  readonly lowConfidence: boolean
  /** Whether a part of the ranking was left out, since the embeddings endpoint failed. */
  readonly partialResults: boolean
  /** The revision of the catalog that the index holds. */
  readonly revision: number
}

export interface SearchService {
  /** Undefined while no index is built. */
  search(request: SearchRequest): Promise<SearchAnswer | undefined>
}
