/** Every metric of the controller runtime, with the end of its name. */
const rows = {
  reconciles: {
    kind: 'counter',
    suffix: 'reconcile_total',
    labels: ['controller', 'result'],
    help: 'Finished reconciles by result: settled (done), again (after a delay), stuck (until a watched object changes), conflict, error, terminal, timeout, panic or aborted.',
  },
  reconcileErrors: {
    kind: 'counter',
    suffix: 'reconcile_errors_total',
    labels: ['controller'],
    help: 'Reconciles that failed and are retried; conflicts do not count.',
  },
  terminalErrors: {
    kind: 'counter',
    suffix: 'terminal_reconcile_errors_total',
    labels: ['controller'],
    help: 'Reconciles that failed because the API server refused a request as invalid or forbidden.',
  },
  panics: {
    kind: 'counter',
    suffix: 'reconcile_panics_total',
    labels: ['controller'],
    help: 'Reconciles that failed with a programming error, such as a TypeError.',
  },
  reconcileSeconds: {
    kind: 'histogram',
    suffix: 'reconcile_time_seconds',
    labels: ['controller'],
    help: 'Duration of a reconcile in seconds.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
  },
  activeWorkers: {
    kind: 'gauge',
    suffix: 'active_workers',
    labels: ['controller'],
    help: 'Workers that are reconciling now.',
  },
  maxWorkers: {
    kind: 'gauge',
    suffix: 'max_concurrent_reconciles',
    labels: ['controller'],
    help: 'Workers that the controller has.',
  },
  brokenCircuits: {
    kind: 'counter',
    suffix: 'circuit_opened_total',
    labels: ['controller'],
    help: 'Times that the controller paused an object for 5 minutes because it was reconciled too often.',
  },
  queueDepth: {
    kind: 'gauge',
    suffix: 'workqueue_depth',
    labels: ['name'],
    help: 'Keys that wait for a worker.',
  },
  queueAdds: {
    kind: 'counter',
    suffix: 'workqueue_adds_total',
    labels: ['name'],
    help: 'Keys added to the queue.',
  },
  queueRetries: {
    kind: 'counter',
    suffix: 'workqueue_retries_total',
    labels: ['name'],
    help: 'Keys added again after a failure.',
  },
  queueSeconds: {
    kind: 'histogram',
    suffix: 'workqueue_queue_duration_seconds',
    labels: ['name'],
    help: 'Seconds that a key waited for a worker.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300],
  },
  workSeconds: {
    kind: 'histogram',
    suffix: 'workqueue_work_duration_seconds',
    labels: ['name'],
    help: 'Seconds that a worker spent on a key.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  },
  unfinishedSeconds: {
    kind: 'gauge',
    suffix: 'workqueue_unfinished_work_seconds',
    labels: ['name'],
    help: 'Seconds of work in progress, summed over all workers.',
  },
  longestSeconds: {
    kind: 'gauge',
    suffix: 'workqueue_longest_running_processor_seconds',
    labels: ['name'],
    help: 'Age in seconds of the oldest work in progress.',
  },
  apiRequests: {
    kind: 'counter',
    suffix: 'api_requests_total',
    labels: ['verb', 'resource', 'code'],
    help: 'Requests to the Kubernetes API; the code is the HTTP status, or none without an answer.',
  },
  apiSeconds: {
    kind: 'histogram',
    suffix: 'api_request_duration_seconds',
    labels: ['verb'],
    help: 'Seconds from a request to the headers of its answer.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 30],
  },
  throttledSeconds: {
    kind: 'counter',
    suffix: 'api_throttled_seconds_total',
    labels: [],
    help: 'Seconds that requests waited for the client-side rate limit.',
  },
  watchRestarts: {
    kind: 'counter',
    suffix: 'watch_restarts_total',
    labels: ['kind', 'cause'],
    help: 'Watches started again, by cause: ended (by the server), gone (resource version too old), disorder (an event older than the last one), refused (the server forbids it in a watched namespace) or error.',
  },
  refusedNamespaces: {
    kind: 'gauge',
    suffix: 'watch_refused',
    labels: ['kind', 'namespace'],
    help: '1 while the server forbids to list a kind in a watched namespace (empty: in all), so that nothing there is reconciled; Secrets are read by name then.',
  },
  watchActivity: {
    kind: 'gauge',
    suffix: 'watch_last_activity_timestamp_seconds',
    labels: ['kind'],
    help: 'Unix time of the last list, event or bookmark.',
  },
  cachedObjects: {
    kind: 'gauge',
    suffix: 'cached_objects',
    labels: ['kind'],
    help: 'Objects in the cache.',
  },
  discoveryErrors: {
    kind: 'counter',
    suffix: 'discovery_errors_total',
    labels: [],
    help: 'Failed discovery requests (which kinds the API server serves).',
  },
  leader: {
    kind: 'gauge',
    suffix: 'leader',
    labels: ['name'],
    help: '1 while this process leads, otherwise 0.',
  },
  leaseTransitions: {
    kind: 'counter',
    suffix: 'lease_transitions_total',
    labels: ['name'],
    help: 'Times that this process started or stopped leading.',
  },
  eventsDropped: {
    kind: 'counter',
    suffix: 'events_dropped_total',
    labels: ['cause'],
    help: 'Kubernetes Events not written, by cause: too_many (of one object), backlog (too many waiting) or refused (by the server).',
  },
} as const

type Rows = typeof rows

export type KubeMetricTable = {
  readonly [Metric in keyof Rows]: Rows[Metric] & { readonly name: string }
}

/** The metrics of one program, whose names begin with the prefix, as in `example_controller_`. */
export const kubeMetricTable = (prefix: string): KubeMetricTable =>
  Object.fromEntries(
    Object.entries(rows).map(([metric, row]) => [metric, { ...row, name: prefix + row.suffix }]),
  ) as KubeMetricTable
