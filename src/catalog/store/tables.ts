import type { ColumnType, Generated } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'

/** `pending`: its origin was not asked yet; `quarantined`: not served, since its origin does not stand by it. */
const listingStates = ['pending', 'published', 'quarantined'] as const
export type ListingState = (typeof listingStates)[number]

/** The trust levels, from least to most. */
export const trustLevels = ['settled', 'origin_verified', 'domain_verified'] as const
export type Trust = (typeof trustLevels)[number]

export type ListingKind = 'http' | 'mcp'

export type VersionCause =
  | 'settlement'
  | 'origin_verification'
  | 'ownership_transfer'
  | 'domain_verification'
  | 'quarantine'

/** `hidden`: by an administrator; `unpaid`: nobody has paid for it for long, and nothing else stands by it; `full`: there is no room. */
export type LeftOut = 'hidden' | 'unpaid' | 'full'

/** `proven`: a domain claims the payee; `first`: the payee had no listing; `known`: it has some, and no proof. */
export type Standing = 'proven' | 'first' | 'known'

export type OutcomeStatus = 'success' | 'processing' | 'rejected'

/** JSON that a seller wrote; the catalog's modules know its type. Write it as text of `JSON.stringify`. */
type Json = ColumnType<unknown, string, string>

/** The tables of migration 0015, with the column names of SQL. */
export interface CatalogTables {
  catalog_declarations: { settlement_id: bigint; attempt: number; body: string }
  catalog_outbox: CatalogOutboxTable
  catalog_revisions: { only_row: Generated<boolean>; revision: bigint }
  listings: ListingsTable
  listing_options: ListingOptionsTable
  listing_versions: ListingVersionsTable
  listing_claims: ListingClaimsTable
  catalog_outcomes: CatalogOutcomesTable
  catalog_outcome_counts: {
    minute: Date
    phase: string
    status: OutcomeStatus
    writer: string
    outcomes: bigint
  }
  catalog_new_listings: {
    listing_id: string
    owner: string
    payer: string
    standing: Generated<Standing>
    /** The proven domain; empty for another standing. */
    domain: Generated<string>
    at: Date
  }
  check_turns: { domain: string; owner: string; taken_at: Date }
  /** `subject`: the id of a listing, or an account. */
  hidden_listings: { subject: string; at: Generated<Date> }
  asset_facts: {
    network: NetworkId
    asset: string
    symbol: string | null
    name: string | null
    decimals: number | null
    checked_at: Date | null
    due_at: Date
    lease_until: Date | null
    /** Whether a payment of this store was made in it: then the operator accepts it. */
    is_paid: Generated<boolean>
    /** How often in a row the contract did not say all that was asked. */
    failures: Generated<number>
  }
  payee_facts: {
    network: NetworkId
    asset: string
    pay_to: string
    receivable: boolean | null
    checked_at: Date | null
    due_at: Date
    lease_until: Date | null
  }
  domain_claims: {
    host: string
    network: NetworkId
    owner: string
    claims_owner: boolean | null
    /** Whether the account of the owner has the host's domain for its home domain, as the ledger had it when the host claimed it. */
    is_named_by_owner: Generated<boolean>
    checked_at: Date | null
    due_at: Date
    lease_until: Date | null
  }
  search_builds: SearchBuildsTable
  search_embeddings: { model: string; content_hash: string; vector: Buffer; used_at: Date }
  catalog_secrets: { name: string; value: string }
}

/** Declarations of settled payments that no catalog process has recorded yet. */
interface CatalogOutboxTable {
  settlement_id: bigint
  network: NetworkId
  payer: string
  nonce: string
  pay_to: string
  scheme: string
  asset: string
  amount: ColumnType<string, bigint, bigint>
  transaction: string
  settled_at: Date
  /** The JSON text of `declarationOf` (src/payments/protocol/declaration.ts). */
  body: string
  tries: Generated<number>
  due_at: Date
}

/** A resource on one network. */
interface ListingsTable {
  id: string
  /** SHA-256, hex, of what makes a resource one item on every network: see `itemKeyOf` of the catalog. */
  item_key: string
  network: NetworkId
  kind: ListingKind
  resource: string
  method: string | null
  tool_name: string | null
  /** Lower case, without a port; empty for a resource that has none. */
  host: string
  /** The registered domain of the host; nobody has proven it while the trust is `settled`. */
  domain: Generated<string>
  /** The address that settled payments went to, or that the origin names. */
  owner: string
  state: ListingState
  trust: Trust
  version: number
  settlements: bigint
  first_cataloged_at: Date
  /** Never changes once set: the catalog's order. */
  first_published_at: Date | null
  last_settled_at: Date
  /** When anything but its counts changed last. */
  updated_at: Date
  /** `ListingContent` of the catalog. */
  content: Json
  /** The name in `content`, in a column of its own: searches of names read it. */
  service_name: string | null
  /** Bytes of `content`. What a listing takes in the memory of a process goes by it. */
  bytes: Generated<number>
  /** Why a published listing is in no list and no search; null: it is in them. */
  left_out: LeftOut | null
  /** Keys of the extensions that its 402 response declares. */
  extensions: string[]
  /** `next_catalog_revision()` of its last change; settlement counts leave it. */
  revision: bigint
  /** `ListingOutcome` of the catalog. */
  last_outcome: Json
  /** When the origin is asked next; null: no check is due. */
  check_due_at: Date | null
  /** When a settlement asked for a check last: `requestCheck` allows one a minute. */
  check_requested_at: Date | null
  /** Checks in a row that could not reach the origin, without those that a settlement brought forward. */
  check_tries: number
  /** When the next of these tries is due, whatever settlements bring forward; it counts while there are tries. */
  check_retry_at: Date | null
  /** Whether an answer, since the last one that confirmed the listing, would have it quarantined when it is seen again. */
  check_has_refused: Generated<boolean>
  /** The path that the last payment was for, where it fits the route template: the payer's text, kept until the origin was asked. */
  paid_path: Generated<string | null>
  check_owner: string | null
  check_lease_until: Date | null
}

/** The payment options of a listing's current version. */
interface ListingOptionsTable {
  listing_id: string
  /** The index of the option in `content.accepts`. */
  place: number
  network: NetworkId
  scheme: string
  asset: string
  pay_to: string
  /** The `G...` account of a muxed `pay_to`; otherwise the same. */
  pay_to_account: string
  amount: ColumnType<string, bigint, bigint>
}

/** Never rewritten; the first one and the newest are kept. */
interface ListingVersionsTable {
  listing_id: string
  version: number
  created_at: Date
  cause: VersionCause
  transaction: string | null
  owner: string
  trust: Trust
  state: ListingState
  content: Json
}

interface ListingClaimsTable {
  listing_id: string
  payer: string
  pay_to: string
  transaction: string
  settled_at: Date
  /** When the origin was asked with its content last; null: not yet. */
  asked_at: Generated<Date | null>
  /** When the origin is asked with it next; null: not again. */
  due_at: Generated<Date | null>
  /** How often the origin was asked with it. */
  tries: Generated<number>
  content: Json
  /** The path that the claim's payment paid for, as `paid_path` of a listing. */
  paid_path: Generated<string | null>
}

interface CatalogOutcomesTable {
  settlement_id: bigint
  network: NetworkId
  payer: string
  nonce: string
  pay_to: string
  transaction: string
  /** Null when the declaration named none that could be read. */
  resource: string | null
  status: OutcomeStatus
  code: string
  reason: string | null
  listing_id: string | null
  version: number | null
  dropped: string[]
  at: Date
}

interface SearchBuildsTable {
  replica: string
  /** The revision of the catalog that the index holds. */
  revision: bigint | null
  result: 'ok' | 'degraded' | 'failed'
  built_at: Date
  listings: number
  embedding_failures: number
  p50_ms: number | null
  p95_ms: number | null
  seen_at: Date
}
