/* Made from the OpenAPI document by `make generate`; `make check` fails when it is out of date. */

export interface Supported {
  readonly kinds: readonly {
    readonly x402Version: 2
    readonly scheme: string
    /** CAIP-2 identifier. */
    readonly network: string
    readonly extra: Readonly<Record<string, unknown>>
  }[]
  readonly extensions: readonly string[]
  /** CAIP-2 pattern to the addresses that sign there: the sponsor, then its channels, then those of other sponsors that share the database. */
  readonly signers: Readonly<Record<string, readonly string[]>>
}

export interface Usage {
  /** The calling key: the first 16 hex digits of its SHA-256 digest, after 'key:'. */
  readonly subject: string
  /** Number of days in this answer, today included. */
  readonly days: number
  readonly serviceFee: {
    /** Accrued by a successful settlement now, in US dollars. */
    readonly perSettlementUsd: string
    /** Accrued by the successful settlements of these days, each at the fee of its time. */
    readonly accruedUsd: string
  }
  /** Newest day first. */
  readonly usage: readonly {
    /** Day in UTC. */
    readonly day: string
    /** CAIP-2. */
    readonly network: string
    readonly operation: 'verify' | 'settle'
    /** Of verify: valid, invalid; of settle: success, failure, pending, repeat. */
    readonly outcome: 'valid' | 'invalid' | 'success' | 'failure' | 'pending' | 'repeat'
    /** As the requirements name it, cut to 64 characters; empty when they name none. */
    readonly asset: string
    readonly requests: number
    /** Base units moved by successful settlements; "0" for every other outcome. */
    readonly settledAmount: string
  }[]
}

export interface Statement {
  /** The calling key: the first 16 hex digits of its SHA-256 digest, after 'key:'. */
  readonly subject: string
  /** In UTC. */
  readonly month: string
  readonly from: string
  /** Exclusive: the end of the month, or in the current month the time of this answer. */
  readonly until: string
  /** The payments that settled in the month, oldest first. */
  readonly settlements: readonly {
    /** When the service found it on the ledger. */
    readonly time: string
    /** CAIP-2. */
    readonly network: string
    readonly scheme: string
    /** The contract of the asset. */
    readonly asset: string
    /** Base units of the asset. */
    readonly amount: string
    readonly payer: string
    readonly payTo: string
    readonly transaction: string
    readonly ledger: number
    /** Charged by the ledger, and paid by the sponsor. */
    readonly feeChargedStroops: string
    /** Accrued for the key, in US dollars. */
    readonly serviceFeeUsd: string
  }[]
  /** Payments whose outcome is not known yet; in no total. */
  readonly pending: readonly {
    /** When the service recorded it to send it. */
    readonly time: string
    /** CAIP-2. */
    readonly network: string
    readonly scheme: string
    /** The contract of the asset. */
    readonly asset: string
    /** Base units of the asset. */
    readonly amount: string
    readonly payer: string
    readonly payTo: string
    readonly transaction: string
  }[]
  /** Sums over the settlements of each asset. */
  readonly totals: readonly {
    readonly network: string
    readonly asset: string
    readonly settlements: number
    readonly amount: string
    /** Charged by the ledger, and paid by the sponsor. */
    readonly feeChargedStroops: string
    /** Accrued for the key, in US dollars. */
    readonly serviceFeeUsd: string
  }[]
  /** The month has been over for an hour and nothing is pending, so the statement will not change. */
  readonly isFinal: boolean
}

export interface Health {
  readonly status: 'ok'
  readonly version: string
  readonly state: 'starting' | 'healthy' | 'degraded'
  readonly checkedAt: string | null
  readonly warnings: readonly {
    readonly code:
      | 'rpc_unhealthy'
      | 'ledger_stale'
      | 'rpc_disputed'
      | 'sponsor_below_floor'
      | 'signer_unreachable'
      | 'signer_key_differs'
      | 'settlement_ledger_unreadable'
      | 'settlements_unresolvable'
      | 'contract_missing'
      | 'contract_archived'
      | 'contract_ttl_critical'
      | 'contract_ttl_low'
      | 'contract_ttl_unchecked'
      | 'terms_unpayable'
      | 'terms_fee_low'
      | 'asset_decimals_differ'
      | 'catalog_unreadable'
      | 'search_index_failed'
      | 'search_index_degraded'
      | 'upto_authority_missing'
      | 'upto_authority_funded'
      | 'upto_authority_holds_tokens'
      | 'upto_contract_restore_required'
      | 'upto_ttl_keeper_failed'
    readonly severity: 'critical' | 'warning'
    readonly message: string
    readonly network?: string
    readonly contract?: string
  }[]
  readonly networks: Readonly<
    Record<
      string,
      {
        readonly rpc: {
          readonly ok: boolean
          readonly latestLedger: number | null
          readonly ledgerAgeSeconds: number | null
          readonly transportErrors1h: number
        }
        readonly sponsor: {
          readonly address: string
          readonly balanceStroops: string | null
          readonly committed1hStroops: string | null
          readonly wasted1hStroops: string
        }
        readonly channels: {
          readonly total: number
          readonly inUse: number | null
          readonly leaseWaitP95Ms: number | null
          readonly leaseTimeouts1h: number
        }
        readonly settlements: {
          readonly last1h: {
            readonly succeeded: number
            readonly failed: number
            readonly expired: number
            readonly pending: number
          } | null
          readonly unfinished: number | null
          readonly unresolvable: number
          readonly repeats1h: number
        }
        readonly sequenceConflicts1h: number
        readonly contracts: Readonly<
          Record<
            string,
            {
              readonly id: string
              readonly instanceTtlLedgers: number | null
              readonly codeTtlLedgers?: number
            }
          >
        >
        readonly upto?: {
          readonly contract: string
          readonly authority: {
            readonly address: string
            readonly present: boolean | null
            readonly balanceStroops: string | null
            readonly spendableStroops: string | null
            readonly tokens:
              | readonly {
                  readonly symbol: string
                  readonly contract: string
                  readonly balance: string
                }[]
              | null
          }
          readonly keeper: {
            readonly enabled: boolean
            readonly autoRestore: boolean
            readonly checkedAt: string | null
            readonly plan: string | null
            readonly lastAction: {
              readonly action: string
              readonly transaction: string
              readonly at: string
            } | null
            readonly error: string | null
          }
        }
      }
    >
  >
  readonly catalog?: {
    readonly listings: {
      readonly pending: number
      readonly published: number
      readonly quarantined: number
    } | null
    readonly leftOut: {
      readonly hidden: number
      readonly unpaid: number
      readonly full: number
    } | null
    readonly outboxPending: number | null
    readonly outcomes1h: Readonly<Record<string, Readonly<Record<string, number>>>>
  }
  readonly search?: {
    readonly indexRevision: number | null
    readonly indexAgeSeconds: number | null
    readonly lastBuild: 'ok' | 'degraded' | 'failed' | null
    readonly embeddingFailures1h: number
    readonly p50Ms: number | null
    readonly p95Ms: number | null
  }
}

export interface ErrorMember {
  readonly code:
    | 'bad_request'
    | 'unauthorized'
    | 'not_found'
    | 'method_not_allowed'
    | 'payload_too_large'
    | 'unsupported_media_type'
    | 'rate_limited'
    | 'explorer_invalid_query'
    | 'explorer_not_found'
    | 'explorer_tx_not_found'
    | 'explorer_facilitator_not_found'
    | 'explorer_asset_not_found'
    | 'explorer_announce_invalid_url'
    | 'explorer_announce_unreachable'
    | 'explorer_internal_error'
    | 'discovery_invalid_parameter'
    | 'discovery_listing_not_found'
    | 'search_query_required'
    | 'search_query_too_long'
    | 'search_invalid_cursor'
    | 'search_cursor_expired'
    | 'internal_error'
    | 'service_unavailable'
  /** For people; never empty. */
  readonly reason: string
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  readonly details?: Readonly<Record<string, unknown>>
}

/** Parameters of `/usage/statement`. */
export interface StatementQuery {
  /** A month such as 2026-11. */
  readonly month: string
  /** Json or csv; json when it is absent. */
  readonly format?: 'json' | 'csv' | undefined
}

/** What can be read, by path. */
export interface ServiceReads {
  /** The payments that are served, and the accounts that sign for them */
  readonly '/supported': { readonly answer: Supported }
  /** Requests and fees of the calling API key in the last 31 days */
  readonly '/usage': { readonly answer: Usage }
  /** The payments of the calling API key that settled in a month of UTC, with totals */
  readonly '/usage/statement': { readonly answer: Statement; readonly query: StatementQuery }
  /** Status of the service; rebuilt every 15 seconds and always answered with 200 */
  readonly '/health': { readonly answer: Health }
}
