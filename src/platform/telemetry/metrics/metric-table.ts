/** Buckets for a probe (1 ms), a verification (5 ms) and a settlement that waits for ledgers (30 s). */
const requestBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const

/** Every metric of the service except the process metrics: name, labels, meaning. */
export const metricTable = {
  verifications: {
    kind: 'counter',
    name: 'svc_verifications_total',
    labels: ['network', 'outcome', 'reason'],
    help: 'Payments verified; the outcome is valid or invalid, the reason is the code of an invalid payment, else empty.',
  },
  settlements: {
    kind: 'counter',
    name: 'svc_settlements_total',
    labels: ['network', 'outcome', 'reason'],
    help: 'Settle requests answered with a verdict; the outcome is success, failure or pending, the reason is the code, empty for a success.',
  },
  settlementFailures: {
    kind: 'counter',
    name: 'svc_settlement_failures_total',
    labels: ['network', 'reason'],
    help: 'Settlements that failed or were refused for a reason that neither payer, recipient nor caller can cause: the sponsor, the channels, the network or the service itself. The reason is the code of the answer, or the cause of a failure on the ledger (errors.md); each starts at 0.',
  },
  requestDuration: {
    kind: 'histogram',
    name: 'svc_http_request_duration_seconds',
    labels: ['method', 'route', 'status'],
    help: 'Seconds from the arrival of a request to the end of its answer; an unknown method is "other", an unknown path "unmatched".',
    buckets: requestBuckets,
  },
  sponsorBalance: {
    kind: 'gauge',
    name: 'svc_sponsor_balance_stroops',
    labels: ['network'],
    help: 'XLM balance of the sponsor in stroops, at the last poll that read it.',
  },
  sponsorSpendable: {
    kind: 'gauge',
    name: 'svc_sponsor_spendable_stroops',
    labels: ['network'],
    help: 'Stroops that the sponsor can spend on further settlements, at the last poll: its balance without reserves and without the maximum fees of settlements under way; negative when these exceed it, 0 while the ledger has no such account.',
  },
  sponsorMinimum: {
    kind: 'gauge',
    name: 'svc_sponsor_minimum_stroops',
    labels: ['network'],
    help: 'Stroops that the sponsor must be able to spend, or settlements are refused: the larger one of SPONSOR_RESERVE_XLM and MAX_TX_FEE_STROOPS, which a cheaper settlement does not need in full.',
  },
  signerUp: {
    kind: 'gauge',
    name: 'svc_signer_up',
    labels: ['network'],
    help: 'Whether what signs for the sponsor answers with the right key: 1 or 0; absent where the seed is in the process.',
  },
  signerDuration: {
    kind: 'histogram',
    name: 'svc_signer_call_duration_seconds',
    labels: ['network', 'outcome'],
    help: 'Seconds of a call for signatures, up to 100 in one; the outcome is signed, unreachable, denied, no_key or invalid.',
    buckets: requestBuckets,
  },
  budgetLeft: {
    kind: 'gauge',
    name: 'svc_sponsor_budget_left_stroops',
    labels: ['network'],
    help: 'Stroops of the hourly fee budget, over all replicas, that the last hour has left, at the last poll; absent without a budget.',
  },
  channelsInUse: {
    kind: 'gauge',
    name: 'svc_channels_in_use',
    labels: ['network'],
    help: 'Channels of the sponsor that are leased, over all replicas, at the last poll.',
  },
  channelsTotal: {
    kind: 'gauge',
    name: 'svc_channels_total',
    labels: ['network'],
    help: 'Channels of the sponsor in the store that can be leased, leased ones included, at the last poll.',
  },
  channelsUsable: {
    kind: 'gauge',
    name: 'svc_channels_usable',
    labels: ['network'],
    help: 'Those channels of svc_channels_total that the ledger has, at the last poll; absent before the first channel of the sponsor is created, unless all those of an earlier sponsor are retired.',
  },
  unfinished: {
    kind: 'gauge',
    name: 'svc_settlements_unfinished',
    labels: ['network'],
    help: 'Settlements of all replicas that are claimed or recorded but not finished, at the last poll.',
  },
  unresolvable: {
    kind: 'gauge',
    name: 'svc_settlements_unresolvable',
    labels: ['network'],
    help: 'Unfinished settlements whose outcome the endpoints cannot prove; each is looked up again every 5 minutes, and an administrator can resolve it.',
  },
  reconciled: {
    kind: 'counter',
    name: 'svc_settlements_reconciled_total',
    labels: [],
    help: 'Settlements that another process left unfinished and this process finished.',
  },
  payerRefusals: {
    kind: 'counter',
    name: 'svc_payer_refusals_total',
    labels: ['network', 'rule'],
    help: "Settle requests refused by a rule for each payer or caller; the rule is funds (unfinished payments exceed the balance), paused (failures by the payer's own fault) or key_share (of the hourly budget).",
  },
  failedFees: {
    kind: 'counter',
    name: 'svc_failed_settlement_fees_stroops_total',
    labels: ['network', 'cause'],
    help: 'Fees in stroops that the ledger charged for transactions of settlements that failed on it, by the cause of the failure (errors.md).',
  },
  uptoContractTtl: {
    kind: 'gauge',
    name: 'svc_upto_contract_ttl_ledgers',
    labels: ['network', 'entry'],
    help: 'Ledgers until the network archives the settlement contract of the scheme upto, as the keeper of this process last read it; the entry is instance or code; negative once it is archived, absent when it is not on the ledger.',
  },
  uptoKeeperActions: {
    kind: 'counter',
    name: 'svc_upto_keeper_actions_total',
    labels: ['network', 'action', 'outcome'],
    help: 'What the keeper of the settlement contract tried in this process; the action is extend or restore, the outcome is succeeded, failed (on the ledger, at the cost of its fee), expired (no ledger included it) or refused (not sent, or refused by the network).',
  },
  stageDuration: {
    kind: 'histogram',
    name: 'svc_payment_stage_duration_seconds',
    labels: ['network', 'stage'],
    help: 'Seconds that one stage of a payment took: check, signature, simulate, claim, lease, sign, record, send, confirm or finish. Verifications have the first three.',
    buckets: requestBuckets,
  },
  leaseWait: {
    kind: 'histogram',
    name: 'svc_channel_lease_wait_seconds',
    labels: ['network', 'outcome'],
    help: 'Seconds that a claimed settlement waited for a channel; the outcome is leased, none_free, claim_lost (another process took the claim over) or error.',
    // A settlement is refused after 5 s without a channel.
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5, 7.5],
  },
  notAdmitted: {
    kind: 'counter',
    name: 'svc_settlements_not_admitted_total',
    labels: ['network'],
    help: 'New payments refused before their simulation or their claim, because more settlements wait for a channel than can get one in time.',
  },
  simulationRefusals: {
    kind: 'counter',
    name: 'svc_simulations_refused_total',
    labels: ['network', 'rule'],
    help: 'Payments of /verify and /settle that got no simulation; the rule is line (too many wait, most of them of the same API key or address) or late (no place became free in time).',
  },
  confirmTime: {
    kind: 'histogram',
    name: 'svc_settlement_confirm_seconds',
    labels: ['network', 'outcome'],
    help: 'Seconds from sending a transaction until its settlement is finished, also after its request has timed out; the outcome is succeeded, failed or expired.',
    // A ledger closes every 5 s; a request gives up after 25 s, a transaction after 60 s.
    buckets: [0.5, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30, 60, 120],
  },
  rpcRequests: {
    kind: 'counter',
    name: 'svc_rpc_requests_total',
    labels: ['network', 'endpoint', 'method', 'outcome'],
    help: 'Requests to Stellar RPC; the endpoint is its host, the outcome is ok, transport (no HTTP 200), rejected (a JSON-RPC error), unreadable (an unknown shape) or queue_full (not sent: too many wait for the endpoint).',
  },
  rpcDuration: {
    kind: 'histogram',
    name: 'svc_rpc_request_duration_seconds',
    labels: ['network', 'endpoint', 'method'],
    help: 'Seconds from a request to Stellar RPC to its answer or failure, including the wait in its queue.',
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  rpcQueued: {
    kind: 'gauge',
    name: 'svc_rpc_queued_requests',
    labels: ['network', 'endpoint', 'queue'],
    help: 'Requests of this process that wait to be sent to an endpoint; the queue is settle (sends and look-ups of transactions), read (ledger entries), simulate, simulate_contract (of payers that are contracts), simulate_large (over 16 KiB) or simulate_token (symbol, name and decimals of tokens).',
  },
  databaseWait: {
    kind: 'histogram',
    name: 'svc_database_connection_wait_seconds',
    labels: [],
    help: 'Seconds that a query waited for a connection of the database pool, including queries that got none.',
    buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  },
  databaseConnections: {
    kind: 'gauge',
    name: 'svc_database_connections',
    labels: ['state'],
    help: 'Database connections of this process; the state is idle or in_use.',
  },
  databaseWaiting: {
    kind: 'gauge',
    name: 'svc_database_waiting_queries',
    labels: [],
    help: 'Queries that wait for a database connection.',
  },
  backgroundErrors: {
    kind: 'counter',
    name: 'svc_background_errors_total',
    labels: ['task'],
    help: 'Failures of background work, by task.',
  },
  usageLost: {
    kind: 'counter',
    name: 'svc_usage_lost_total',
    labels: ['kind'],
    help: 'What the usage meter has dropped because its memory was full, while the database was away or refused it: requests that are not counted (requests), last uses of API keys that are not written (key_uses).',
  },
  catalogOutcomes: {
    kind: 'counter',
    name: 'svc_catalog_outcomes_total',
    labels: ['phase', 'status', 'code'],
    help: 'Outcomes of declarations to the catalog, by phase: verify is a preview for a verification, settle what became of a settled payment.',
  },
  catalogListings: {
    kind: 'gauge',
    name: 'svc_catalog_listings',
    labels: ['state'],
    help: 'Listings of the catalog at the last poll; the state is pending, published or quarantined. Those that are left out are not counted.',
  },
  catalogLeftOut: {
    kind: 'gauge',
    name: 'svc_catalog_left_out',
    labels: ['reason'],
    help: 'Published listings that are in no list and no search, at the last poll, by reason: hidden by an administrator, unpaid for long, or full when the catalog has no room.',
  },
  catalogOutbox: {
    kind: 'gauge',
    name: 'svc_catalog_outbox_pending',
    labels: [],
    help: 'Declarations of settled payments that no catalog process has recorded yet, at the last poll.',
  },
  catalogOutboxAge: {
    kind: 'gauge',
    name: 'svc_catalog_outbox_oldest_seconds',
    labels: [],
    help: 'Seconds since the payment of the oldest of these declarations was settled, at the last poll; 0 without any.',
  },
  searchIndexBehind: {
    kind: 'gauge',
    name: 'svc_search_index_behind_seconds',
    labels: [],
    help: 'Age in seconds of the oldest change of the catalog that the newest index of all processes lacks, at the last poll; 0 when it lacks none.',
  },
  searchIndexRevision: {
    kind: 'gauge',
    name: 'svc_search_index_revision',
    labels: [],
    help: "Revision of the catalog that this process's search index holds.",
  },
  searchIndexItems: {
    kind: 'gauge',
    name: 'svc_search_index_items',
    labels: [],
    help: "Resources in this process's search index.",
  },
  searchIndexBuilt: {
    kind: 'gauge',
    name: 'svc_search_index_build_timestamp_seconds',
    labels: [],
    help: "When this process's last build of the search index ended, in seconds since 1970.",
  },
  searchIndexBuild: {
    kind: 'histogram',
    name: 'svc_search_index_build_seconds',
    labels: ['result'],
    help: 'Seconds that a build of the search index took, with reading the catalog; the result is ok, degraded (the embeddings endpoint failed) or failed.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  searchDuration: {
    kind: 'histogram',
    name: 'svc_search_duration_seconds',
    labels: ['method'],
    help: 'Seconds that a search took in this process, without HTTP and without reading the items; the method is hybrid, lexical or filter.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  },
  explorerLag: {
    kind: 'gauge',
    name: 'svc_explorer_lag_ledgers',
    labels: ['network'],
    help: 'Ledgers that the network has closed and the explorer has not written, at the last poll of the process that ingests.',
  },
  explorerHead: {
    kind: 'gauge',
    name: 'svc_explorer_last_ledger',
    labels: ['network'],
    help: 'The last ledger that the live tail of the explorer has written.',
  },
  explorerIngesting: {
    kind: 'gauge',
    name: 'svc_explorer_ingesting',
    labels: [],
    help: '1 in the process that ingests for the explorer, 0 in those that only serve it; absent in others.',
  },
  explorerLedgers: {
    kind: 'counter',
    name: 'svc_explorer_ledgers_total',
    labels: ['network', 'part'],
    help: 'Ledgers that the explorer has read and written; the part is tail or backfill.',
  },
  explorerPayments: {
    kind: 'counter',
    name: 'svc_explorer_payments_total',
    labels: ['network', 'scheme', 'confidence'],
    help: 'Payments that the explorer has written.',
  },
  explorerSkipped: {
    kind: 'counter',
    name: 'svc_explorer_skipped_total',
    labels: ['network', 'reason'],
    help: 'Transactions with a contract call that the explorer took for no payment, by reason.',
  },
  explorerFailures: {
    kind: 'counter',
    name: 'svc_explorer_ingest_failures_total',
    labels: ['network', 'part'],
    help: 'Rounds of ingest that ended with an error; the part is tail or backfill.',
  },
  explorerGaps: {
    kind: 'gauge',
    name: 'svc_explorer_gap_ledgers',
    labels: ['network'],
    help: 'Ledgers of the present epoch that the explorer can never read, since no endpoint retained them when their turn came.',
  },
  explorerBackfill: {
    kind: 'gauge',
    name: 'svc_explorer_backfill_ledgers',
    labels: ['network'],
    help: 'Older ledgers that the explorer has still to read.',
  },
  explorerPolls: {
    kind: 'counter',
    name: 'svc_explorer_registry_polls_total',
    labels: ['outcome'],
    help: 'Reads of the /supported of other facilitators; the outcome is ok or failed.',
  },
  explorerQueries: {
    kind: 'histogram',
    name: 'svc_explorer_query_seconds',
    labels: ['query'],
    help: 'Seconds that a read of the explorer took in the store, by read.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  healthWarnings: {
    kind: 'gauge',
    name: 'svc_health_warnings',
    labels: ['code'],
    help: 'Warnings of /health by code, at the last poll; 0 for a code that is not raised.',
  },
  rateLimited: {
    kind: 'counter',
    name: 'svc_rate_limited_total',
    labels: [],
    help: 'Requests refused by the rate limiter.',
  },
  rateLimitUnshared: {
    kind: 'counter',
    name: 'svc_rate_limit_unshared_total',
    labels: [],
    help: 'Requests admitted by the count of this process alone, because the store did not answer the rate limiter.',
  },
} as const satisfies Readonly<Record<string, Declaration>>

export interface Declaration {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds, of a histogram. */
  readonly buckets?: readonly number[]
}

/** Prefix of the metrics of the Node process itself: memory, CPU, event loop, open handles. */
export const processMetricPrefix = 'svc_process_'
