/* Made from the OpenAPI document by `make generate`; `make check` fails when it is out of date. */

export interface Feed {
  /** Newest first */
  readonly items: readonly Payment[]
  readonly nextCursor?: string
}

export interface AssetTotal {
  readonly assetContract: string
  readonly count: number
  /** Base units of the asset */
  readonly total: string
  /** The amount as a decimal */
  readonly totalDecimal?: string
  readonly asset?: string
  readonly assetCode?: string
}

export interface ByConfidence {
  readonly svc: number
  readonly 'verified-facilitator': number
  readonly 'x402-shaped': number
}

export interface ByWindow {
  readonly '24h': number
  readonly '7d': number
  readonly '30d': number
}

export interface Totals {
  readonly totalPayments: number
  readonly uniqueBuyers: number
  readonly uniqueSellers: number
  readonly byScheme: { readonly exact: number; readonly upto: number }
  readonly byConfidence: ByConfidence
  /** Largest count first; at most 100 */
  readonly byAsset: readonly AssetTotal[]
  /** The earliest observed; no claim about the network */
  readonly firstPaymentAt?: string
  readonly lastPaymentAt?: string
}

export interface SellerVolume {
  readonly assetContract: string
  readonly asset?: string
  readonly assetCode?: string
  /** Base units of the asset */
  readonly total: string
  /** The amount as a decimal */
  readonly totalDecimal: string
}

export interface SellerEntry {
  readonly payTo: string
  readonly network: 'stellar:testnet' | 'stellar:pubnet'
  readonly registered: boolean
  readonly payments: number
  readonly uniqueBuyers: number
  /** Largest first */
  readonly volume: readonly SellerVolume[]
  readonly firstSeenAt?: string
  readonly lastSeenAt?: string
  readonly serviceName?: string
  readonly resource?: string
  readonly description?: string
  readonly resourceCount?: number
}

export interface IngestEntry {
  readonly network: 'stellar:testnet' | 'stellar:pubnet'
  readonly consecutiveFailures: number
  readonly epoch?: string
  readonly lastLedger?: number
  /** When the last ledger closed */
  readonly lastClosedAt?: string
  /** The latest ledger of the network at the last poll */
  readonly headLedger?: number
  readonly lastPollAt?: string
  readonly lastError?: string
  /** `done` or `running (target ledger N)` */
  readonly backfill: string
  /** Ledgers that no endpoint retained any more when their turn came; the newest 20 */
  readonly gaps: readonly { readonly fromLedger: number; readonly throughLedger: number }[]
}

export interface ActivityWindow {
  readonly payments: number
  readonly uniqueBuyers: number
  readonly uniqueSellers: number
  readonly newBuyers: number
  readonly newSellers: number
  readonly volume: readonly AssetTotal[]
}

export interface FacilitatorShare {
  /** null: payments that no known facilitator submitted */
  readonly facilitatorId: string | null
  readonly payments: number
  /** Of all payments, rounded to 4 decimals */
  readonly share: number
  readonly windows: ByWindow
  readonly displayName?: string
  /** Whether payments of its signers are attributed to it: it is this service, or configured and has answered, or a signer has signed for it and the proof has not ended. */
  readonly verified: boolean
  readonly lastPaymentAt?: string
}

export interface Payment {
  readonly network: 'stellar:testnet' | 'stellar:pubnet'
  /** Names the history of the network from one reset to the next */
  readonly epoch: string
  readonly ledger: number
  readonly txHash: string
  readonly scheme: 'exact' | 'upto'
  readonly buyer: string
  /** The payTo address */
  readonly seller: string
  /** What was paid, in base units of the asset; with `upto` it may be 0 */
  readonly amount: string
  /** The amount as a decimal */
  readonly amountDecimal: string
  readonly assetContract: string
  readonly txSource: string
  readonly facilitator: { readonly id: string; readonly displayName: string } | null
  readonly confidence: 'svc' | 'verified-facilitator' | 'x402-shaped'
  readonly closedAt: string
  /** Of the scheme `upto`: what the buyer signed at most, in base units of the asset */
  readonly ceiling?: string
  /** The ceiling as a decimal */
  readonly ceilingDecimal?: string
  /** code:issuer */
  readonly asset?: string
  readonly assetCode?: string
  readonly feeSource?: string
  readonly feeChargedStroops?: string
  readonly sigExpirationLedger?: number
  readonly memo?: string
  readonly muxedId?: string
  readonly serviceName?: string
  /** The seller's listing, in this service's catalog, for which this service settled the payment: its template, if it has one */
  readonly resource?: string
  /** Without `resource`: what a catalog lists for the seller; at most 10 */
  readonly resourceCandidates?: readonly string[]
}

export interface Sellers {
  readonly items: readonly SellerEntry[]
  readonly pagination: { readonly total: number; readonly limit: number; readonly offset: number }
  readonly window?: '24h' | '7d' | '30d'
}

export interface Seller {
  readonly payTo: string
  readonly stats: Totals
  /** The newest 25 */
  readonly payments: readonly Payment[]
  readonly conduct: {
    /** Payments whose buyer is the seller */
    readonly selfPayments: number
    /** The buyer with most payments on a network, and its share of all of the seller */
    readonly topBuyer?: {
      readonly buyer: string
      readonly payments: number
      readonly share: number
    }
  }
  readonly serviceName?: string
  readonly resource?: string
  readonly description?: string
  readonly resources?: readonly {
    readonly network: 'stellar:testnet' | 'stellar:pubnet'
    readonly method: string
    readonly resource: string
    readonly serviceName?: string
  }[]
  readonly nextCursor?: string
}

export interface Stats extends Totals {
  readonly networks: readonly ('stellar:testnet' | 'stellar:pubnet')[]
  readonly ingest: readonly IngestEntry[]
  readonly window?: '24h' | '7d' | '30d'
}

export interface Ecosystem {
  readonly generatedAt: string
  readonly networks: readonly ('stellar:testnet' | 'stellar:pubnet')[]
  readonly coverage: readonly {
    readonly network: 'stellar:testnet' | 'stellar:pubnet'
    readonly watchedSacs: 'all' | readonly string[]
  }[]
  readonly totals: Totals
  readonly windows: {
    readonly '24h': ActivityWindow
    readonly '7d': ActivityWindow
    readonly '30d': ActivityWindow
  }
  /** Largest share first */
  readonly facilitators: readonly FacilitatorShare[]
  /** At most 10, by payments of the last 30 days */
  readonly topSellers: readonly {
    readonly network: 'stellar:testnet' | 'stellar:pubnet'
    readonly payTo: string
    readonly payments: number
    readonly uniqueBuyers: number
    readonly volume: readonly AssetTotal[]
    readonly lastPaymentAt: string
    readonly serviceName?: string
  }[]
}

export interface Timeseries {
  readonly bucket: 'hour' | 'day'
  /** Oldest first, without gaps; the last one is under way */
  readonly points: readonly {
    /** Start of the bucket */
    readonly at: string
    readonly payments: number
    readonly byConfidence: ByConfidence
    /** Of the 100 assets with most payments in the bucket */
    readonly volume: readonly AssetTotal[]
  }[]
}

export interface Facilitators {
  /** Largest share first */
  readonly items: readonly FacilitatorShare[]
}

export interface Facilitator extends FacilitatorShare {
  readonly baseUrl?: string
  readonly source: 'own' | 'configured' | 'announced'
  readonly networks: readonly string[]
  /** At most 1,000 */
  readonly signers: readonly {
    readonly network: 'stellar:testnet' | 'stellar:pubnet'
    readonly address: string
  }[]
  /** Named, but without a proof that holds, or another facilitator has proven them earlier: their payments are not attributed to this one */
  readonly claimedSigners: readonly {
    readonly network: 'stellar:testnet' | 'stellar:pubnet'
    readonly address: string
  }[]
  readonly uptoContracts: readonly string[]
  readonly lastSeenAt?: string
  readonly lastError?: string
  readonly createdAt: string
}

export interface Asset {
  readonly network: 'stellar:testnet' | 'stellar:pubnet'
  readonly assetContract: string
  readonly asset?: string
  readonly assetCode?: string
  readonly decimals?: number
  readonly stats: {
    readonly totalPayments: number
    readonly byScheme: { readonly exact: number; readonly upto: number }
    readonly byConfidence: ByConfidence
    /** The earliest observed; no claim about the network */
    readonly firstPaymentAt?: string
    readonly lastPaymentAt?: string
    /** Base units of the asset */
    readonly total: string
    /** The amount as a decimal */
    readonly totalDecimal: string
    readonly windows: ByWindow
  }
}

export interface ExplorerHealth {
  /** `degraded`: the store does not answer, or a network is not followed */
  readonly status: 'ok' | 'degraded'
  readonly version: string
  readonly ingest: readonly IngestEntry[]
  /** Of the networks that were reached */
  readonly lag: readonly {
    readonly network: 'stellar:testnet' | 'stellar:pubnet'
    /** Closed by the network and not yet written */
    readonly ledgers: number
    /** Since the last ledger that was written closed */
    readonly seconds: number
  }[]
  /** Why it is degraded, one sentence for each cause */
  readonly reason?: string
}

/** Parameters of `/feed`. */
export interface FeedQuery {
  /** A CAIP-2 network id, stellar:testnet or stellar:pubnet. */
  readonly network?: 'stellar:testnet' | 'stellar:pubnet' | undefined
  /** The C... address of the contract of an asset. */
  readonly asset?: string | undefined
  /** A scheme, exact or upto. */
  readonly scheme?: 'exact' | 'upto' | undefined
  /** A G... or C... address that is paid. */
  readonly seller?: string | undefined
  /** A G... or C... address that pays. */
  readonly buyer?: string | undefined
  /** The id of a facilitator of the registry, 1 to 300 visible characters. */
  readonly facilitator?: string | undefined
  /** A confidence, svc or verified-facilitator or x402-shaped. */
  readonly confidence?: 'svc' | 'verified-facilitator' | 'x402-shaped' | undefined
  /** A whole number from 1 to 100, the items of a page; 25 without it. */
  readonly limit?: number | undefined
  /** The nextCursor of the page before; give the same filters with it. */
  readonly cursor?: string | undefined
}

/** Parameters of `/sellers`. */
export interface SellersQuery {
  /** A CAIP-2 network id, stellar:testnet or stellar:pubnet. */
  readonly network?: 'stellar:testnet' | 'stellar:pubnet' | undefined
  /** A trailing window, 24h or 7d or 30d; all time without it. */
  readonly window?: '24h' | '7d' | '30d' | undefined
  /** True for sellers in a catalog or false for the others. */
  readonly registered?: boolean | undefined
  /** A whole number from 1 to 100, the items of a page; 25 without it. */
  readonly limit?: number | undefined
  /** A whole number from 0 on, the items before the page; 0 without it. */
  readonly offset?: number | undefined
}

/** Parameters of `/seller/{payTo}`. */
export interface SellerQuery {
  /** A CAIP-2 network id, stellar:testnet or stellar:pubnet. */
  readonly network?: 'stellar:testnet' | 'stellar:pubnet' | undefined
}

/** Parameters of `/stats`. */
export interface StatsQuery {
  /** A CAIP-2 network id, stellar:testnet or stellar:pubnet. */
  readonly network?: 'stellar:testnet' | 'stellar:pubnet' | undefined
  /** A trailing window, 24h or 7d or 30d; all time without it. */
  readonly window?: '24h' | '7d' | '30d' | undefined
}

/** Parameters of `/ecosystem`. */
export interface EcosystemQuery {
  /** A CAIP-2 network id, stellar:testnet or stellar:pubnet. */
  readonly network?: 'stellar:testnet' | 'stellar:pubnet' | undefined
}

/** Parameters of `/ecosystem/timeseries`. */
export interface TimeseriesQuery {
  /** Day or hour; day without it. */
  readonly bucket?: 'day' | 'hour' | undefined
  /** A whole number from 1 to 90, with days as buckets; 30 without it. */
  readonly days?: number | undefined
  /** A whole number from 1 to 168, with hours as buckets; 48 without it. */
  readonly hours?: number | undefined
  /** A CAIP-2 network id, stellar:testnet or stellar:pubnet. */
  readonly network?: 'stellar:testnet' | 'stellar:pubnet' | undefined
  /** The C... address of the contract of an asset. */
  readonly asset?: string | undefined
  /** A G... or C... address that is paid. */
  readonly seller?: string | undefined
  /** The id of a facilitator of the registry, 1 to 300 visible characters. */
  readonly facilitator?: string | undefined
}

/** Parameters of `/facilitators`. */
export interface FacilitatorsQuery {
  /** A CAIP-2 network id, stellar:testnet or stellar:pubnet. */
  readonly network?: 'stellar:testnet' | 'stellar:pubnet' | undefined
}

/** Parameters of `/asset/{contract}`. */
export interface AssetQuery {
  /** A CAIP-2 network id, stellar:testnet or stellar:pubnet. */
  readonly network?: 'stellar:testnet' | 'stellar:pubnet' | undefined
}

/** What can be read, by path. */
export interface ExplorerReads {
  /** Payments, newest first; filters combine with AND */
  readonly '/feed': { readonly answer: Feed; readonly query: FeedQuery }
  /** The payment of a transaction */
  readonly '/tx/{hash}': { readonly answer: Payment }
  /** Every address that was paid or is in a catalog, by payments */
  readonly '/sellers': { readonly answer: Sellers; readonly query: SellersQuery }
  /** What an address was paid, and its newest 25 payments; /feed?seller= continues them */
  readonly '/seller/{payTo}': { readonly answer: Seller; readonly query: SellerQuery }
  /** Headline numbers, and how far the ledger was read */
  readonly '/stats': { readonly answer: Stats; readonly query: StatsQuery }
  /** Totals, trailing windows, facilitators with their shares, and the most active sellers */
  readonly '/ecosystem': { readonly answer: Ecosystem; readonly query: EcosystemQuery }
  /** Payments by day or hour of UTC */
  readonly '/ecosystem/timeseries': { readonly answer: Timeseries; readonly query: TimeseriesQuery }
  /** Every facilitator of the registry, and the payments that no known facilitator submitted */
  readonly '/facilitators': { readonly answer: Facilitators; readonly query: FacilitatorsQuery }
  /** A facilitator of the registry */
  readonly '/facilitator/{id}': { readonly answer: Facilitator }
  /** An asset that payments were made in */
  readonly '/asset/{contract}': { readonly answer: Asset; readonly query: AssetQuery }
  /** Whether the explorer follows its networks; always answered with 200 */
  readonly '/health': { readonly answer: ExplorerHealth }
}
