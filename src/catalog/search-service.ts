/** Filters of a search that its caller names; each must hold for one and the same payment option where it can. */
export interface SearchFilters {
  readonly type?: string
  readonly payTo?: string
  readonly scheme?: string
  /** CAIP-2. */
  readonly network?: string
  /** Keys of extensions that the resource declares. */
  readonly extensions?: readonly string[]
  /** Contract, or symbol. */
  readonly asset?: string
  /** Decimal: units of `asset` where that is given, otherwise US dollars. */
  readonly maxPrice?: string
}

export interface SearchRequest {
  readonly query: string
  readonly filters: SearchFilters
}

export interface SearchAnswer {
  /** Items, best first, by `item_key`; empty when nothing in the catalog answers the question. */
  readonly itemKeys: readonly string[]
  readonly method: 'hybrid' | 'lexical' | 'filter'
  /** What was read from the question's words: `network=stellar:testnet`, `maxPrice=0.02 USD`. */
  readonly recognised: readonly string[]
  /** Whether the best items may not be what was asked for. */
  readonly lowConfidence: boolean
  /** Whether a part of the ranking was left out, since the embeddings endpoint failed. */
  readonly partialResults: boolean
  /** Of the catalog, that the index holds. */
  readonly revision: number
}

export interface SearchService {
  /** Undefined while no index is built. */
  search(request: SearchRequest): Promise<SearchAnswer | undefined>
}
