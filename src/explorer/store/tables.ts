import type { ColumnType, Generated } from 'kysely'
import type { SchemeName } from '../../payments/protocol/schemes.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'

/**
 * How the submitter of a payment is known. `svc`: this service; `verified-facilitator`: another one that names it among its
 * signers; `x402-shaped`: no facilitator that the explorer knows.
 */
export const confidences = ['svc', 'verified-facilitator', 'x402-shaped'] as const
export type Confidence = (typeof confidences)[number]

/** Where the explorer learned of a facilitator. */
export type FacilitatorSource = 'own' | 'configured' | 'announced'

/** Trailing windows, and their lengths in hours. */
export const windowHours = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const
export type Window = keyof typeof windowHours
export const windows = Object.keys(windowHours) as readonly Window[]

type Count = ColumnType<bigint, bigint | undefined, bigint>
/** Text of an exact decimal. */
type Amount = ColumnType<string, bigint | string | undefined, bigint | string>

interface WindowCounters {
  payments: Count
  payments_24h: Count
  payments_7d: Count
  payments_30d: Count
}

interface WindowAmounts {
  amount: Amount
  amount_24h: Amount
  amount_7d: Amount
  amount_30d: Amount
}

/** Unix seconds of the first and the last payment; null where there is none. */
interface FirstAndLast {
  first_at: bigint | null
  last_at: bigint | null
}

/** The tables of migration 0016, with the column names of SQL. */
export interface ExplorerTables {
  explorer_addresses: { id: Generated<number>; address: string }
  explorer_epochs: { id: Generated<number>; network: NetworkId; started_at: Date }
  explorer_assets: {
    id: Generated<number>
    network: NetworkId
    contract: string
    code: string | null
    issuer: string | null
    decimals: number | null
    checked_at: Date | null
    due_at: Generated<Date>
    /** How often in a row the contract did not say all that was asked. */
    failures: Generated<number>
  }
  explorer_facilitators: ExplorerFacilitatorsTable
  explorer_signers: {
    network: NetworkId
    address: string
    facilitator: string
    claimed_at: Generated<Date>
    /** Null: it needs no proof. */
    proven_until: Date | null
  }
  /** The view of signers whose payments are attributed. */
  explorer_submitters: {
    network: NetworkId
    address: string
    facilitator: string
    confidence: Confidence
  }
  /** Signers whose payments may have to change their kind. */
  explorer_moves: {
    network: NetworkId
    address: string
    source: Generated<'tx_source' | 'fee_source'>
    below_position: bigint | null
  }
  explorer_kinds: ExplorerKindsTable
  explorer_payments: ExplorerPaymentsTable
  explorer_sellers: ExplorerSellersTable
  explorer_seller_kinds: WindowCounters &
    WindowAmounts &
    FirstAndLast & { seller: number; kind: number }
  explorer_buyers: {
    network: NetworkId
    buyer: number
    payments: bigint
    first_at: bigint
    last_at: bigint
  }
  explorer_buyer_kinds: { buyer: number; kind: number; payments: bigint }
  explorer_pairs: {
    network: NetworkId
    seller: number
    buyer: number
    payments: bigint
    first_at: bigint
    last_at: bigint
  }
  explorer_kind_hours: { hour: number; kind: number; payments: bigint; amount: Amount }
  explorer_kind_days: { day: number; kind: number; payments: bigint; amount: Amount }
  explorer_seller_hours: {
    hour: number
    seller: number
    kind: number
    payments: bigint
    amount: Amount
  }
  explorer_seller_buyer_hours: { hour: number; network: NetworkId; seller: number; buyers: number }
  explorer_address_hours: {
    network: NetworkId
    measure: AddressMeasure
    hour: number
    addresses: number
  }
  explorer_address_counts: {
    network: NetworkId
    measure: AddressMeasure
    addresses: Generated<number>
    addresses_24h: Generated<number>
    addresses_7d: Generated<number>
    addresses_30d: Generated<number>
  }
  explorer_windows: {
    only_row: Generated<boolean>
    from_24h: number
    from_7d: number
    from_30d: number
    /** Unix seconds. */
    dropped_before: Generated<bigint>
  }
  explorer_lease: { only_row: Generated<boolean>; holder: string; term: bigint; expires_at: Date }
  explorer_progress: ExplorerProgressTable
  explorer_backfills: {
    network: NetworkId
    epoch: number
    next_ledger: number
    target_ledger: number
  }
  explorer_gaps: {
    network: NetworkId
    epoch: number
    from_ledger: number
    through_ledger: number
    found_at: Generated<Date>
  }
  explorer_registrations: {
    source: string
    network: NetworkId
    pay_to: string
    service_name: string | null
    resource: string
    description: string | null
    seen_at: Generated<Date>
  }
}

export type AddressMeasure = 'buyers_first' | 'buyers_last' | 'sellers_first' | 'sellers_last'

interface ExplorerFacilitatorsTable {
  id: string
  base_url: string | null
  display_name: string | null
  source: FacilitatorSource
  verified: Generated<boolean>
  networks: Generated<string[]>
  upto_contracts: Generated<string[]>
  claimed_signers: ColumnType<
    readonly { readonly network: NetworkId; readonly address: string }[],
    string | undefined,
    string
  >
  signers_changed_at: Date | null
  last_seen_at: Date | null
  last_error: string | null
  created_at: Generated<Date>
  due_at: Generated<Date>
  lease_until: Date | null
  catalog_due_at: Generated<Date>
}

/** Rows of kinds: each combination of properties that many payments share. */
interface ExplorerKindsTable extends WindowCounters, WindowAmounts, FirstAndLast {
  id: Generated<number>
  network: NetworkId
  epoch: number
  scheme: SchemeName
  confidence: Confidence
  /** Null: no known facilitator submitted them. */
  facilitator: string | null
  asset: number
}

interface ExplorerPaymentsTable {
  /** Close time in seconds times 2^32, plus the first 32 bits of the hash. */
  position: bigint
  tx_hash: Buffer
  op_index: Generated<number>
  kind: number
  seller: number
  buyer: number
  ledger: number
  amount: ColumnType<string, bigint | string, never>
  /** The ceiling that the buyer signed; only for `upto`. */
  ceiling: ColumnType<string | null, bigint | string | null, never>
  tx_source: number
  /** The source of the fee bump, if there is one. */
  fee_source: number | null
  fee_charged: bigint
  /** The last ledger in which the buyer's authorization was valid. */
  sig_expiration: number | null
  memo: string | null
  muxed_id: ColumnType<string | null, bigint | string | null, never>
}

interface ExplorerSellersTable extends WindowCounters, FirstAndLast {
  network: NetworkId
  seller: number
  address: string
  registered: ColumnType<boolean, boolean | undefined, boolean>
  service_name: string | null
  resource: string | null
  description: string | null
  buyers: ColumnType<number, number | undefined, number>
  buyers_24h: ColumnType<number, number | undefined, number>
  buyers_7d: ColumnType<number, number | undefined, number>
  buyers_30d: ColumnType<number, number | undefined, number>
  /** Payments whose buyer is the seller. */
  self_payments: Count
  /** The buyer with most payments; of several, the one with the lowest id. */
  top_buyer: number | null
  top_buyer_payments: Count
}

interface ExplorerProgressTable {
  network: NetworkId
  epoch: number
  /** The live tail has written every ledger up to this one, from its start on. */
  last_ledger: number
  /** Unix seconds. */
  last_closed_at: bigint
  /** The highest ledger of this epoch that was ever seen. */
  high_water: number
  /** The latest ledger at the last poll. */
  head_ledger: number
  last_poll_at: Date | null
  consecutive_failures: ColumnType<number, number | undefined, number>
  last_error: string | null
}
