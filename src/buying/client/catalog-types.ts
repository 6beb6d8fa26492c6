/* Made from the OpenAPI document by `make generate`; `make check` fails when it is out of date. */

export interface ValidationRequest {
  /** Of the resource, as a buyer calls it. */
  readonly url: string
  /** GET when absent. */
  readonly method?: 'GET' | 'HEAD' | 'DELETE' | 'POST' | 'PUT' | 'PATCH'
}

export interface CatalogList {
  readonly x402Version: 2
  /** First published first. */
  readonly items: readonly CatalogItem[]
  readonly pagination: {
    readonly limit: number
    readonly offset: number
    /** On all pages. */
    readonly total: number
    /** Pass it back, so that listings that arrive meanwhile move no page. */
    readonly asOf: string
  }
}

/** A paid resource, with its listings on all networks. */
export interface CatalogItem {
  /** URL, or URL with a route template. */
  readonly resource: string
  readonly type: 'http' | 'mcp'
  readonly x402Version: 2
  readonly accepts: readonly PaymentOption[]
  /** When anything but a count changed last. */
  readonly lastUpdated: string
  /** By key; of extensions other than `bazaar`, only that the resource declares them. */
  readonly extensions: { readonly bazaar: Bazaar; readonly [name: string]: unknown }
  readonly svc: {
    /** The highest of the listings. */
    readonly trust: Trust
    /** The sum over the listings. */
    readonly settlements: number
    readonly listings: readonly Listing[]
    /** What the ledger says of the entry of `accepts` in the same place. */
    readonly options: readonly OptionFacts[]
    readonly method?: string
    readonly toolName?: string
  }
  readonly description?: string
  readonly mimeType?: string
  readonly serviceName?: string
  readonly tags?: readonly string[]
  readonly iconUrl?: string
}

/** settled: someone paid for it; origin_verified: its own 402 response names the owner; domain_verified: the stellar.toml of its host does, too. */
export type Trust = 'settled' | 'origin_verified' | 'domain_verified'

/** A way to pay for a resource. */
export interface PaymentOption {
  readonly scheme: string
  /** CAIP-2 identifier. */
  readonly network: string
  /** Contract of the asset. */
  readonly asset: string
  readonly payTo: string
  /** Base units of the asset; of the scheme `upto` the most that a call may cost. */
  readonly amount: string
  readonly maxTimeoutSeconds: number
  readonly extra?: Readonly<Record<string, unknown>>
}

/** How the resource is called; `schema` is the JSON Schema 2020-12 of `info`. */
export interface Bazaar {
  readonly info: Readonly<Record<string, unknown>>
  readonly schema: Readonly<Record<string, unknown>>
  readonly routeTemplate?: string
}

/** A resource on one network. */
export interface Listing {
  readonly id: string
  /** CAIP-2 identifier. */
  readonly network: string
  readonly version: number
  readonly trust: Trust
  /** The address that is paid. */
  readonly owner: string
  /** How many payments for it this facilitator has settled. */
  readonly settlements: number
  readonly firstCataloged: string
  readonly lastSettled: string
  readonly stellar?: {
    /** When the oldest of these facts was read. */
    readonly checkedAt: string
    readonly domain?: {
      readonly host: string
      /** Whether the host's stellar.toml names the owner. */
      readonly claimsOwner: boolean
    }
  }
}

/** What the ledger says of a way to pay. */
export interface OptionFacts {
  readonly listing: string
  readonly symbol?: string
  readonly name?: string
  readonly decimals?: number
  /** Whether payTo could receive the asset when the ledger was read last. */
  readonly receivable?: boolean
}

/** An item with exactly one listing, in any state. */
export interface CatalogListing extends CatalogItem {
  /** The list and search have published listings only. */
  readonly state: 'pending' | 'published' | 'quarantined'
  /** Of the last settlement or check of its origin. */
  readonly lastOutcome: {
    readonly phase: 'verify' | 'settle' | 'origin'
    readonly status: 'success' | 'processing' | 'rejected'
    readonly code: string
    readonly reason?: string
    readonly at: string
  }
  /** When its origin is asked next; null: no check is due. */
  readonly nextCheckAt: string | null
}

export interface ListingVersions {
  readonly x402Version: 2
  readonly id: string
  /** Oldest first; at most the newest 1,000. */
  readonly versions: readonly {
    readonly version: number
    readonly createdAt: string
    readonly cause:
      | 'settlement'
      | 'origin_verification'
      | 'ownership_transfer'
      | 'domain_verification'
      | 'quarantine'
    /** Of the payment that led to it. */
    readonly transaction?: string
    readonly owner: string
    readonly trust: Trust
    readonly state: 'pending' | 'published' | 'quarantined'
    readonly content: {
      readonly resource: string
      readonly kind: 'http' | 'mcp'
      readonly method?: string
      readonly toolName?: string
      readonly description?: string
      readonly mimeType?: string
      readonly serviceName?: string
      readonly tags?: readonly string[]
      readonly iconUrl?: string
      readonly extensions: readonly string[]
      readonly bazaar: Bazaar
      readonly accepts: readonly PaymentOption[]
    }
  }[]
}

export interface CatalogSearch {
  readonly x402Version: 2
  /** Best first; empty when nothing fits. */
  readonly resources: readonly CatalogItem[]
  /** Whether a part of the ranking was left out, since the embeddings endpoint failed. */
  readonly partialResults: boolean
  readonly pagination: {
    readonly limit: number
    /** For the next page; null: there is none. */
    readonly cursor: string | null
  }
  readonly svc: {
    readonly method: 'hybrid' | 'lexical' | 'filter'
    /** What was read from the words of the query, as in `maxPrice=0.02 USD`. */
    readonly recognised: readonly string[]
    /** Of the catalog that was searched. */
    readonly revision: number
    /** The best resources may not be what was asked for. */
    readonly lowConfidence?: true
  }
}

export interface ResourceValidation {
  readonly url: string
  readonly outcome: 'listable' | 'refused'
  /** In the order in which they ran; the first that failed is the last. */
  readonly checks: readonly {
    readonly name:
      | 'url'
      | 'answer'
      | 'payment_required'
      | 'requirements'
      | 'payee'
      | 'bazaar'
      | 'declaration'
      | 'resource'
      | 'receivable'
    readonly ok: boolean
    readonly code?: string
    readonly reason?: string
  }[]
  /** What would be listed, as in the history of a listing. */
  readonly listing?: {
    readonly resource: string
    readonly kind: 'http' | 'mcp'
    readonly [name: string]: unknown
  }
}

/** Parameters of `/discovery/resources`. */
export interface ListResourcesQuery {
  /** A type of resource: a small letter and at most 31 of a-z, 0-9, _ and -; an unknown type matches nothing. */
  readonly type?: string | undefined
  /** The address that is paid, of Stellar with a valid checksum; a G... address also matches muxed addresses on it, and an address of another chain matches nothing. */
  readonly payTo?: string | undefined
  /** A payment scheme: a small letter and at most 31 of a-z, 0-9, _ and -; only payment options in it are shown, and one that nothing here has matches nothing. */
  readonly scheme?: string | undefined
  /** A CAIP-2 network id; only payment options on it are shown, and another chain matches nothing. */
  readonly network?: string | undefined
  /** At most 10 keys of extensions, separated by commas, each at most 64 of a-z, A-Z, 0-9, _ and -; the resource declares every one of them. */
  readonly extensions?: readonly string[] | undefined
  /** The C... address of a contract with a valid checksum, or a symbol of 1 to 12 letters and digits; an asset of another chain matches nothing. */
  readonly asset?: string | undefined
  /** A decimal of at most 15 digits and 18 behind the point: units of asset where that is given, else US dollars. */
  readonly maxPrice?: string | undefined
  /** The least trust of a listing: a small letter and at most 31 of a-z, 0-9, _ and -; an unknown level matches nothing. */
  readonly trust?: string | undefined
  /** A whole number from 1 on, the items of a page; 20 without it, and above 100 counts as 100. */
  readonly limit?: number | undefined
  /** A whole number from 0 to 1000000, the items before the page; 0 without it. */
  readonly offset?: number | undefined
  /** An ISO 8601 time with a zone; only listings first published by then are shown. Pass back pagination.asOf for pages that fit together. */
  readonly asOf?: string | undefined
}

/** Parameters of `/discovery/search`. */
export interface SearchResourcesQuery {
  /** What is wanted, in words, 1 to 500 characters. */
  readonly query: string
  /** A type of resource: a small letter and at most 31 of a-z, 0-9, _ and -; an unknown type matches nothing. */
  readonly type?: string | undefined
  /** The address that is paid, of Stellar with a valid checksum; a G... address also matches muxed addresses on it, and an address of another chain matches nothing. */
  readonly payTo?: string | undefined
  /** A payment scheme: a small letter and at most 31 of a-z, 0-9, _ and -; only payment options in it are shown, and one that nothing here has matches nothing. */
  readonly scheme?: string | undefined
  /** A CAIP-2 network id; only payment options on it are shown, and another chain matches nothing. */
  readonly network?: string | undefined
  /** At most 10 keys of extensions, separated by commas, each at most 64 of a-z, A-Z, 0-9, _ and -; the resource declares every one of them. */
  readonly extensions?: readonly string[] | undefined
  /** The C... address of a contract with a valid checksum, or a symbol of 1 to 12 letters and digits; an asset of another chain matches nothing. */
  readonly asset?: string | undefined
  /** A decimal of at most 15 digits and 18 behind the point: units of asset where that is given, else US dollars. */
  readonly maxPrice?: string | undefined
  /** The least trust of a listing: a small letter and at most 31 of a-z, 0-9, _ and -; an unknown level matches nothing. */
  readonly trust?: string | undefined
  /** A whole number from 1 on, the items of a page; 10 without it, and above 50 counts as 50. */
  readonly limit?: number | undefined
  /** The pagination.cursor of the page before, at most 512 characters, with the same query and filters. */
  readonly cursor?: string | undefined
}

/** What can be read, by path. */
export interface CatalogReads {
  /** The published resources, first published first */
  readonly '/discovery/resources': {
    readonly answer: CatalogList
    readonly query: ListResourcesQuery
  }
  /** One listing in any state, with its last outcome and its next check */
  readonly '/discovery/resources/{id}': { readonly answer: CatalogListing }
  /** The first version of a listing and its newest ones, oldest first: at most 20, and 256 KiB of contents */
  readonly '/discovery/resources/{id}/versions': { readonly answer: ListingVersions }
  /** The published resources that answer a question, best first */
  readonly '/discovery/search': {
    readonly answer: CatalogSearch
    readonly query: SearchResourcesQuery
  }
  /** Whether a resource would be listed, and if not, why; nothing is written */
  readonly '/discovery/validate': {
    readonly answer: ResourceValidation
    readonly body: ValidationRequest
  }
}
