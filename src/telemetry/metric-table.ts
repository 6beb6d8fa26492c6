/** Every metric the service exposes, but for the process metrics: name, labels, meaning. */
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
    help: 'Seconds from the arrival of a request to the end of its answer.',
    // From a probe (1 ms) over a verification (5 ms) to a settlement that waits for ledgers (30 s).
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  sponsorBalance: {
    kind: 'gauge',
    name: 'svc_sponsor_balance_stroops',
    labels: ['network'],
    help: 'Native balance of the sponsor account at the last reading.',
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
  reconciled: {
    kind: 'counter',
    name: 'svc_settlements_reconciled_total',
    labels: [],
    help: 'Settlements that another process or run had left unfinished, brought to their end.',
  },
  backgroundErrors: {
    kind: 'counter',
    name: 'svc_background_errors_total',
    labels: ['task'],
    help: 'Failures of work that no request waits for, by task.',
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
    help: 'Requests let pass by the count of this process alone, since the store did not answer the rate limiter.',
  },
} as const

/** Prefix of the metrics of the Node process itself: memory, CPU, event loop, open handles. */
export const processMetricPrefix = 'svc_process_'
