import type {
  Asset,
  AssetQuery,
  Ecosystem,
  EcosystemQuery,
  ExplorerHealth,
  ExplorerReads,
  Facilitator,
  Facilitators,
  FacilitatorsQuery,
  Feed,
  FeedQuery,
  Payment,
  Seller,
  SellerQuery,
  Sellers,
  SellersQuery,
  Stats,
  StatsQuery,
  Timeseries,
  TimeseriesQuery,
} from './explorer-types.ts'
import type { ClientOptions, Paged, RequestOptions } from './options.ts'
import { reader } from './reads.ts'
import { sender } from './send.ts'

/**
 * Reads from an explorer: the payments of its networks, and figures of them. Every method throws `ApiError`, and the
 * reason of a signal that aborts.
 */
export interface ExplorerClient {
  /** Payments, newest first. */
  readonly feed: Paged<FeedQuery, Feed>
  /** The addresses that were paid or are in a catalog, most payments first. */
  readonly sellers: Paged<SellersQuery, Sellers>
  /** The payment of a transaction, by its hash; `explorer_tx_not_found` when it was not observed, or not yet. */
  payment(hash: string, options?: RequestOptions): Promise<Payment>
  /** Totals of an address as seller, zero if it was never paid; `feed({ seller })` has all of its payments. */
  seller(payTo: string, query?: SellerQuery, options?: RequestOptions): Promise<Seller>
  /** Totals, and how far the ledger was read. */
  stats(query?: StatsQuery, options?: RequestOptions): Promise<Stats>
  /** Totals, trailing windows, the shares of facilitators, and the most active sellers. */
  ecosystem(query?: EcosystemQuery, options?: RequestOptions): Promise<Ecosystem>
  /** Payments by day or hour of UTC. */
  timeseries(query?: TimeseriesQuery, options?: RequestOptions): Promise<Timeseries>
  /** The facilitators that the explorer knows, largest share first. */
  facilitators(query?: FacilitatorsQuery, options?: RequestOptions): Promise<Facilitators>
  /** One of them, by its id. */
  facilitator(id: string, options?: RequestOptions): Promise<Facilitator>
  /** An asset, by the C... address of its contract, and what was paid in it. */
  asset(contract: string, query?: AssetQuery, options?: RequestOptions): Promise<Asset>
  /** Whether the explorer follows its networks. */
  health(options?: RequestOptions): Promise<ExplorerHealth>
}

/** @throws TypeError when `url` is no URL */
export function explorerClient(options: ClientOptions): ExplorerClient {
  const { read, paged } = reader<ExplorerReads>(sender(options))
  return {
    feed: paged('/feed'),
    sellers: paged('/sellers'),
    payment: (hash, given) => read('/tx/{hash}', { path: { hash } }, given),
    seller: (payTo, query, given) => read('/seller/{payTo}', { path: { payTo }, query }, given),
    stats: (query, given) => read('/stats', { query }, given),
    ecosystem: (query, given) => read('/ecosystem', { query }, given),
    timeseries: (query, given) => read('/ecosystem/timeseries', { query }, given),
    facilitators: (query, given) => read('/facilitators', { query }, given),
    facilitator: (id, given) => read('/facilitator/{id}', { path: { id } }, given),
    asset: (contract, query, given) =>
      read('/asset/{contract}', { path: { contract }, query }, given),
    health: (given) => read('/health', {}, given),
  }
}
