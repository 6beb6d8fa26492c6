import type { ColumnType, Generated, JSONColumnType, Kysely } from 'kysely'
import type { CatalogTables } from '../../catalog/store/tables.ts'
import type { ExplorerTables } from '../../explorer/store/tables.ts'
import type { UptoTables } from '../../payments/store/upto/tables.ts'
import type { NetworkId } from '../core/caip2.ts'

/**
 * The tables, with the column names of SQL. Each query maps its rows to the types of this module.
 * `int8` arrives as bigint on every connection; `numeric` arrives as its decimal text.
 */
export interface Database extends CatalogTables, ExplorerTables, UptoTables {
  settlements: SettlementsTable
  channels: ChannelsTable
  refused_attempts: RefusedAttemptsTable
  payment_identifiers: PaymentIdentifiersTable
  operator_epochs: OperatorEpochsTable
  pools: PoolsTable
  replica_heartbeats: ReplicaHeartbeatsTable
  upto_authorities: UptoAuthoritiesTable
  store_identity: StoreIdentityTable
}

/** The first argument of every query function: the store's `db`, or a transaction on it. */
export type Db = Kysely<Database>

/**
 * A settlement's states; open.ts shows how they follow each other. `released`: the owner gave the claim
 * back; `abandoned`: its owner died; `refused`: the network refused its envelope. A retry claims these again with
 * the next attempt number.
 */
const settlementStates = [
  'claimed',
  'submitted',
  'succeeded',
  'failed',
  'expired',
  'released',
  'abandoned',
  'refused',
] as const
export type SettlementState = (typeof settlementStates)[number]

export const finalStates = ['succeeded', 'failed', 'expired'] as const
export type FinalState = (typeof finalStates)[number]

/** A new claim takes over a row in one of these states. */
export const claimableStates: readonly SettlementState[] = ['released', 'abandoned', 'refused']

export interface SettlementsTable {
  id: Generated<bigint>
  network: NetworkId
  payer: string
  nonce: string
  attempt: ColumnType<number, number, number>
  state: SettlementState
  /** Whether the network has refused an attempt, this one or an earlier one. */
  was_refused: ColumnType<boolean, never, true>
  /** SHA-256 of the request, hex: a request with the same fingerprint is a repeat. */
  fingerprint: string
  scheme: string
  asset: string
  pay_to: string
  amount: ColumnType<string, bigint, bigint>
  resource_url: string | null
  sponsor: string
  owner: string
  claimed_at: ColumnType<Date, Date, Date>
  claim_expires_at: ColumnType<Date, Date, Date>
  channel: string | null
  envelope_xdr: string | null
  tx_hash: string | null
  inner_hash: string | null
  max_time: bigint | null
  recorded_at: Date | null
  recorded_at_ledger: bigint | null
  ledger: bigint | null
  fee_charged: bigint | null
  response: JSONColumnType<Record<string, unknown>> | null
  finished_at: Date | null
  /** Why it failed on the ledger, one of `ledgerFailures`; null when no process diagnosed it. */
  failure_code: ColumnType<string | null, never, string | null>
  /** The last ledger in which the authorization is valid; null in rows that `restoreSucceeded` stored. */
  expiration_ledger: ColumnType<bigint | null, bigint | undefined, bigint>
  /** The most this settlement can cost the sponsor, in stroops. */
  fee_committed: ColumnType<bigint, bigint | undefined, bigint>
  /** When another replica takes the recorded settlement over, unless its follower renews this time. */
  due_at: ColumnType<Date | null, never, Date | null>
  /** Whether no ledger can include its envelope any more, while others can still use the payer's authorization. */
  awaits_authorization: ColumnType<boolean, never, true>
  /** Why the ledger can no longer show how it ended; a later look-up or an administrator ends it. */
  unresolvable_because: ColumnType<string | null, never, string | null>
  /** The caller whose usage counts it. */
  caller: ColumnType<string, string | undefined, string>
  /** The fee that a success accrues for its caller, in ten-millionths of a US dollar. */
  service_fee: ColumnType<bigint, bigint | undefined, bigint>
  /** The day that counts it as pending, until it ends. */
  pending_on: ColumnType<Date | null, never, string>
}

/** Envelopes that the network refused, one for each such attempt. */
interface RefusedAttemptsTable {
  settlement_id: bigint
  attempt: number
  channel: string
  envelope_xdr: string
  tx_hash: string
  inner_hash: string
  max_time: bigint
  recorded_at: Date
  recorded_at_ledger: bigint
  /** The network's result, in XDR names. */
  result_code: string
  refused_at: Date
}

/** The ids that buyers gave their payments; a row never changes. */
interface PaymentIdentifiersTable {
  network: NetworkId
  payer: string
  /** The payee of the payment, or the API key of the caller who settled it. */
  scope: string
  identifier: string
  /** SHA-256 of the payment payload, hex: no other payload gets the id. */
  payload_hash: string
  /** With network and payer it names the settlement, which may be deleted already. */
  nonce: string
  bound_at: Date
}

/**
 * `draining`: not leased again; a current lease continues. `retired`: merged back into the sponsor.
 * `quarantined`: not leased; the operator replaces it by another channel.
 */
const channelStates = ['active', 'draining', 'retired', 'quarantined'] as const
export type ChannelState = (typeof channelStates)[number]

export interface ChannelsTable {
  network: NetworkId
  sponsor: string
  index: number
  account: string
  state: ColumnType<ChannelState, ChannelState | undefined, ChannelState>
  /** The account's current sequence number, the last one used; null: read it from the ledger. */
  sequence: bigint | null
  lease_owner: string | null
  lease_settlement: bigint | null
  /** `infinity` while a recorded envelope holds the channel: compare it in SQL, never read it. */
  lease_expires_at: ColumnType<never, never, Date | null>
  last_used_at: ColumnType<Date | null, never, Date | null>
  /** Until then no claim leases the channel: a transaction that creates or merges channels waits for it. */
  reserved_until: ColumnType<never, never, Date | null>
  /** Settlements in a row that ended without consuming the channel's sequence number. */
  misses: ColumnType<number, never, number>
  /** Set if and only if quarantined. */
  quarantined_because: ColumnType<string | null, never, string | null>
}

/** The highest epoch of each operator leadership; a write under a lower epoch is refused. */
interface OperatorEpochsTable {
  name: string
  epoch: bigint
}

/** A row names the pool that manages the channels of a sponsor. */
interface PoolsTable {
  network: NetworkId
  sponsor: string
  uid: string
  name: string
  /** When its pool last managed the sponsor, at most a minute before its last pass. */
  claimed_at: ColumnType<Date, never, Date>
}

/** When each process that serves a sponsor was last alive. */
interface ReplicaHeartbeatsTable {
  network: NetworkId
  sponsor: string
  /** The `owner` of its settlements: host and process. */
  replica: string
  seen_at: ColumnType<Date, Date, Date>
  /** The result of its trial of the terms; null until it has tried them. */
  terms_state: ColumnType<'Tried' | 'NotTried' | 'Invalid' | 'Unpayable' | null, never, never>
  terms_message: ColumnType<string | null, never, never>
}

/** The settlement authority of each sponsor that ever used the store. */
interface UptoAuthoritiesTable {
  network: NetworkId
  sponsor: string
  account: string
}

/** One row, written by the migration. */
interface StoreIdentityTable {
  is_only: ColumnType<never, never, never>
  /** Random; the operator writes it to the ledger. */
  id: string
}
