/**
 * Every metric of the controller runtime, in the shape of controller-runtime and client-go: a dashboard for
 * those needs only another prefix.
 */
export const kubeMetricTable = {
  reconciles: {
    kind: 'counter',
    name: 'svc_controller_reconcile_total',
    labels: ['controller', 'result'],
    help: 'Finished reconciles by result: settled (done), again (after a delay), stuck (until a watched object changes), conflict, error, terminal, timeout, panic or aborted.',
  },
  reconcileErrors: {
    kind: 'counter',
    name: 'svc_controller_reconcile_errors_total',
    labels: ['controller'],
    help: 'Reconciles that failed and are retried; conflicts do not count.',
  },
  terminalErrors: {
    kind: 'counter',
    name: 'svc_controller_terminal_reconcile_errors_total',
    labels: ['controller'],
    help: 'Reconciles that failed because the API server refused a request as invalid or forbidden.',
  },
  panics: {
    kind: 'counter',
    name: 'svc_controller_reconcile_panics_total',
    labels: ['controller'],
    help: 'Reconciles that failed with a programming error, such as a TypeError.',
  },
  reconcileSeconds: {
    kind: 'histogram',
    name: 'svc_controller_reconcile_time_seconds',
    labels: ['controller'],
    help: 'Duration of a reconcile in seconds.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
  },
  activeWorkers: {
    kind: 'gauge',
    name: 'svc_controller_active_workers',
    labels: ['controller'],
    help: 'Workers that are reconciling now.',
  },
  maxWorkers: {
    kind: 'gauge',
    name: 'svc_controller_max_concurrent_reconciles',
    labels: ['controller'],
    help: 'Workers that the controller has.',
  },
  brokenCircuits: {
    kind: 'counter',
    name: 'svc_controller_circuit_opened_total',
    labels: ['controller'],
    help: 'Times that the controller paused an object for 5 minutes because it was reconciled too often.',
  },
  queueDepth: {
    kind: 'gauge',
    name: 'svc_controller_workqueue_depth',
    labels: ['name'],
    help: 'Keys that wait for a worker.',
  },
  queueAdds: {
    kind: 'counter',
    name: 'svc_controller_workqueue_adds_total',
    labels: ['name'],
    help: 'Keys added to the queue.',
  },
  queueRetries: {
    kind: 'counter',
    name: 'svc_controller_workqueue_retries_total',
    labels: ['name'],
    help: 'Keys added again after a failure.',
  },
  queueSeconds: {
    kind: 'histogram',
    name: 'svc_controller_workqueue_queue_duration_seconds',
    labels: ['name'],
    help: 'Seconds that a key waited for a worker.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300],
  },
  workSeconds: {
    kind: 'histogram',
    name: 'svc_controller_workqueue_work_duration_seconds',
    labels: ['name'],
    help: 'Seconds that a worker spent on a key.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  },
  unfinishedSeconds: {
    kind: 'gauge',
    name: 'svc_controller_workqueue_unfinished_work_seconds',
    labels: ['name'],
    help: 'Seconds of work in progress, summed over all workers.',
  },
  longestSeconds: {
    kind: 'gauge',
    name: 'svc_controller_workqueue_longest_running_processor_seconds',
    labels: ['name'],
    help: 'Age in seconds of the oldest work in progress.',
  },
  apiRequests: {
    kind: 'counter',
    name: 'svc_controller_api_requests_total',
    labels: ['verb', 'resource', 'code'],
    help: 'Requests to the Kubernetes API; the code is the HTTP status, or none without an answer.',
  },
  apiSeconds: {
    kind: 'histogram',
    name: 'svc_controller_api_request_duration_seconds',
    labels: ['verb'],
    help: 'Seconds from a request to the headers of its answer.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 30],
  },
  throttledSeconds: {
    kind: 'counter',
    name: 'svc_controller_api_throttled_seconds_total',
    labels: [],
    help: 'Seconds that requests waited for the client-side rate limit (KUBE_QPS).',
  },
  watchRestarts: {
    kind: 'counter',
    name: 'svc_controller_watch_restarts_total',
    labels: ['kind', 'cause'],
    help: 'Watches started again, by cause: ended (by the server), gone (resource version too old), disorder (an event older than the last one), refused (the server forbids it in a watched namespace) or error.',
  },
  refusedNamespaces: {
    kind: 'gauge',
    name: 'svc_controller_watch_refused',
    labels: ['kind', 'namespace'],
    help: '1 while the server forbids to list a kind in a watched namespace (empty: in all), so that nothing there is reconciled; Secrets are read by name then.',
  },
  watchActivity: {
    kind: 'gauge',
    name: 'svc_controller_watch_last_activity_timestamp_seconds',
    labels: ['kind'],
    help: 'Unix time of the last list, event or bookmark.',
  },
  cachedObjects: {
    kind: 'gauge',
    name: 'svc_controller_cached_objects',
    labels: ['kind'],
    help: 'Objects in the cache.',
  },
  discoveryErrors: {
    kind: 'counter',
    name: 'svc_controller_discovery_errors_total',
    labels: [],
    help: 'Failed discovery requests (which kinds the API server serves).',
  },
  leader: {
    kind: 'gauge',
    name: 'svc_controller_leader',
    labels: ['name'],
    help: '1 while this process leads, otherwise 0.',
  },
  leaseTransitions: {
    kind: 'counter',
    name: 'svc_controller_lease_transitions_total',
    labels: ['name'],
    help: 'Times that this process started or stopped leading.',
  },
  eventsDropped: {
    kind: 'counter',
    name: 'svc_controller_events_dropped_total',
    labels: ['cause'],
    help: 'Kubernetes Events not written, by cause: too_many (of one object), backlog (too many waiting) or refused (by the server).',
  },
} as const

export type KubeMetricTable = typeof kubeMetricTable
