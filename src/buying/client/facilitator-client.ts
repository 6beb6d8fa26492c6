import type {
  CatalogList,
  CatalogListing,
  CatalogReads,
  CatalogSearch,
  ListingVersions,
  ListResourcesQuery,
  ResourceValidation,
  SearchResourcesQuery,
  ValidationRequest,
} from './catalog-types.ts'
import type { ClientOptions, Paged, RequestOptions } from './options.ts'
import { reader } from './reads.ts'
import { sender } from './send.ts'
import type { Health, ServiceReads, Statement, Supported, Usage } from './service-types.ts'

export interface FacilitatorClientOptions extends ClientOptions {
  /** Sent with every request. It is a secret, and a page of another origin may not send it. */
  readonly apiKey?: string | undefined
}

/**
 * Reads from a facilitator: its catalog, and what it says of itself. Every method throws `ApiError`, and the reason of
 * a signal that aborts.
 */
export interface FacilitatorClient {
  /** The published resources, first published first. The pages fit together while new ones arrive. */
  readonly resources: Paged<ListResourcesQuery, CatalogList>
  /**
   * The published resources that answer a question in words, best first. `search_cursor_expired` on a later page: the
   * catalog has changed too much since the first one.
   */
  readonly search: Paged<SearchResourcesQuery, CatalogSearch>
  /** One listing in any state, by its id. */
  listing(id: string, options?: RequestOptions): Promise<CatalogListing>
  /** The newest versions of a listing, oldest first. */
  versions(id: string, options?: RequestOptions): Promise<ListingVersions>
  /** Whether the catalog would list a resource, and if not, why. It asks the resource for its price. */
  validate(resource: ValidationRequest, options?: RequestOptions): Promise<ResourceValidation>
  /** The kinds of payment that are served, and the accounts that sign for them. */
  supported(options?: RequestOptions): Promise<Supported>
  /** Requests and fees of the client's API key in the last 31 days. */
  usage(options?: RequestOptions): Promise<Usage>
  /** The payments of the client's API key that settled in a month of UTC, such as `2026-11`, with totals. */
  statement(month: string, options?: RequestOptions): Promise<Statement>
  /** State of the service and its warnings, at most 15 seconds old. */
  health(options?: RequestOptions): Promise<Health>
}

/** @throws TypeError when `url` is no URL */
export function facilitatorClient(options: FacilitatorClientOptions): FacilitatorClient {
  const { read, paged } = reader<CatalogReads & ServiceReads>(sender(options))
  return {
    resources: paged('/discovery/resources'),
    search: paged('/discovery/search'),
    listing: (id, given) => read('/discovery/resources/{id}', { path: { id } }, given),
    versions: (id, given) => read('/discovery/resources/{id}/versions', { path: { id } }, given),
    validate: (body, given) => read('/discovery/validate', { body }, given),
    supported: (given) => read('/supported', {}, given),
    usage: (given) => read('/usage', {}, given),
    statement: (month, given) => read('/usage/statement', { query: { month } }, given),
    health: (given) => read('/health', {}, given),
  }
}
