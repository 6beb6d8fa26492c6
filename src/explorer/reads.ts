import type { SchemeName } from '../payments/protocol/schemes.ts'
import type { NetworkId } from '../platform/core/caip2.ts'
import type { ListingActivity } from './reading/listing-activity.ts'
import type {
  AssetRecord,
  Ecosystem,
  FacilitatorRecord,
  FacilitatorShare,
  Feed,
  PaymentRecord,
  Seller,
  Sellers,
  Stats,
  Timeseries,
} from './records.ts'
import type { Confidence, Window } from './store/tables.ts'

/** Filters of a feed; they combine with AND. */
export interface FeedFilters {
  readonly network?: NetworkId
  /** `C...` */
  readonly asset?: string
  readonly scheme?: SchemeName
  readonly seller?: string
  readonly buyer?: string
  /** An id of the registry. */
  readonly facilitator?: string
  readonly confidence?: Confidence
}

/**
 * How far the feed was read, by network: every ledger that closed up to this time, in Unix seconds. Ledgers of a network
 * close one after the other, also across its resets, and payments are stored in the order of these times.
 */
export type FeedMarks = Readonly<Partial<Record<NetworkId, number>>>

export interface NewPayments {
  /** Oldest first. */
  readonly items: readonly PaymentRecord[]
  readonly marks: FeedMarks
}

/** Roles of an address in the observed payments, for its page: buyer, seller, submitter, or none. */
export interface AddressRoles {
  readonly isSeller: boolean
  readonly isBuyer: boolean
  readonly facilitator?: string
  readonly isAsset: boolean
}

/** A seller that a catalog names. */
export interface FoundSeller {
  readonly network: NetworkId
  readonly payTo: string
  readonly serviceName: string
  readonly payments: number
}

/** Every read of the analytics interface and of the pages. Each throws `StoreUnavailable` when the store cannot answer. */
export interface ExplorerReads {
  feed(
    filters: FeedFilters,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<Feed>
  /**
   * Payments of ledgers that the live tail wrote after the marks, at most `limit` of the oldest but all of a second;
   * without marks: none, and the present marks. One call covers an hour at most: call again while the marks differ
   * from those before.
   */
  newPayments(after: FeedMarks | undefined, limit: number): Promise<NewPayments>
  sellers(options: {
    readonly network?: NetworkId
    readonly window?: Window
    readonly registered?: boolean
    readonly limit: number
    readonly offset: number
  }): Promise<Sellers>
  /** One that was never paid has zero stats. */
  seller(payTo: string, network?: NetworkId): Promise<Seller>
  stats(options: { readonly network?: NetworkId; readonly window?: Window }): Promise<Stats>
  ecosystem(network?: NetworkId): Promise<Ecosystem>
  timeseries(options: {
    readonly bucket: 'hour' | 'day'
    readonly count: number
    readonly network?: NetworkId
    readonly facilitator?: string
    readonly seller?: string
    readonly asset?: string
  }): Promise<Timeseries>
  /** Undefined: not observed, or not yet. */
  payment(txHash: string): Promise<PaymentRecord | undefined>
  facilitators(network?: NetworkId): Promise<readonly FacilitatorShare[]>
  facilitator(id: string): Promise<FacilitatorRecord | undefined>
  asset(contract: string, network?: NetworkId): Promise<AssetRecord | undefined>
  roles(address: string): Promise<AddressRoles>
  /** Sellers whose name contains the text, in letters of any case; most payments first. */
  findSellers(
    text: string,
    options: { readonly network?: NetworkId; readonly limit: number },
  ): Promise<readonly FoundSeller[]>
  /** Settlements of listings of the catalog in the same database, by day. */
  listingActivity(listings: readonly string[]): Promise<ListingActivity>
  /** The newest payments that bought a listing of that catalog, newest first. */
  listingPayments(listing: string, limit: number): Promise<readonly PaymentRecord[]>
  /** The listing of that catalog that a payment bought. */
  listingOf(payment: Pick<PaymentRecord, 'network' | 'txHash'>): Promise<string | undefined>
}
