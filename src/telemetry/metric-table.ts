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
    help: 'Payments verified; the reason is the code of an invalid one and empty for a valid one.',
  },
  settlements: {
    kind: 'counter',
    name: 'svc_settlements_total',
    labels: ['network', 'outcome', 'reason'],
    help: 'Settlements answered; the outcome is success, failure or pending.',
  },
  requestDuration: {
    kind: 'histogram',
    name: 'svc_http_request_duration_seconds',
    labels: ['method', 'route', 'status'],
    help: 'Seconds from the arrival of a request to the end of its answer; unknown methods and paths are counted as "other" and "unmatched".',
    buckets: requestBuckets,
  },
  sponsorBalance: {
    kind: 'gauge',
    name: 'svc_sponsor_balance_stroops',
    labels: ['network'],
    help: 'Native balance of the sponsor account at the last reading.',
  },
  budgetLeft: {
    kind: 'gauge',
    name: 'svc_sponsor_budget_left_stroops',
    labels: ['network'],
    help: 'Stroops that all replicas together may still spend on fees in this hour, at the last reading; absent without a limit.',
  },
  channelsInUse: {
    kind: 'gauge',
    name: 'svc_channels_in_use',
    labels: ['network'],
    help: 'Channel accounts leased by a settlement.',
  },
  channelsTotal: {
    kind: 'gauge',
    name: 'svc_channels_total',
    labels: ['network'],
    help: 'Channel accounts configured.',
  },
  unfinished: {
    kind: 'gauge',
    name: 'svc_settlements_unfinished',
    labels: ['network'],
    help: 'Settlements of all replicas that are claimed or recorded but have not ended, at the last reading.',
  },
  unresolvable: {
    kind: 'gauge',
    name: 'svc_settlements_unresolvable',
    labels: ['network'],
    help: 'Unfinished settlements that only an administrator can end.',
  },
  reconciled: {
    kind: 'counter',
    name: 'svc_settlements_reconciled_total',
    labels: [],
    help: 'Settlements that another process left unfinished and this one ended; each is counted by the replica that ended it.',
  },
  stageDuration: {
    kind: 'histogram',
    name: 'svc_payment_stage_duration_seconds',
    labels: ['network', 'stage'],
    help: 'Seconds that one stage of a payment took: check, signature and simulate (of verifications too), claim, lease, sign, record, send, confirm, finish.',
    buckets: requestBuckets,
  },
  leaseWait: {
    kind: 'histogram',
    name: 'svc_channel_lease_wait_seconds',
    labels: ['network', 'outcome'],
    help: 'Seconds a claimed settlement waited for a channel; the outcome is leased, none_free, claim_lost or error.',
    // A settlement is refused after 5 s without a channel.
    buckets: [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5, 7.5],
  },
  confirmTime: {
    kind: 'histogram',
    name: 'svc_settlement_confirm_seconds',
    labels: ['network', 'outcome'],
    help: "Seconds from the sending of a transaction to the ledger's answer, whether or not its caller still waits; the outcome is succeeded, failed or expired.",
    // A ledger closes every 5 s; a request gives up after 25 s, a transaction after 60 s.
    buckets: [0.5, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 25, 30, 60, 120],
  },
  rpcRequests: {
    kind: 'counter',
    name: 'svc_rpc_requests_total',
    labels: ['network', 'endpoint', 'method', 'outcome'],
    help: 'Requests to Stellar RPC; the endpoint is its host, the outcome is ok, transport (no answer), rejected or unreadable.',
  },
  rpcDuration: {
    kind: 'histogram',
    name: 'svc_rpc_request_duration_seconds',
    labels: ['network', 'endpoint', 'method'],
    help: 'Seconds from a request to Stellar RPC to its answer or failure, including the wait for the rest of its batch.',
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  databaseWait: {
    kind: 'histogram',
    name: 'svc_database_connection_wait_seconds',
    labels: [],
    help: 'Seconds a query waited for a connection of the pool, also of queries that got none.',
    buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  },
  databaseConnections: {
    kind: 'gauge',
    name: 'svc_database_connections',
    labels: ['state'],
    help: 'Connections that this process holds to the database; the state is idle or in_use.',
  },
  databaseWaiting: {
    kind: 'gauge',
    name: 'svc_database_waiting_queries',
    labels: [],
    help: 'Queries that wait for a connection.',
  },
  backgroundErrors: {
    kind: 'counter',
    name: 'svc_background_errors_total',
    labels: ['task'],
    help: 'Failures of work that no request waits for, by task.',
  },
  catalogOutcomes: {
    kind: 'counter',
    name: 'svc_catalog_outcomes_total',
    labels: ['phase', 'status', 'code'],
    help: 'Catalog outcomes of payments; without samples as long as there is no catalog.',
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
