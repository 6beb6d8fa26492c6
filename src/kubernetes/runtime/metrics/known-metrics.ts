import { methods, type Verb } from '../client/verbs.ts'
import type { Labels, MetricDeclaration } from './metric-declaration.ts'
import type { KubeMetricTable } from './metric-table.ts'

/**
 * The samples of one metric once more, under another name and with other labels. Samples whose labels become equal
 * are one, with their sum. Samples for which `labels` returns undefined are left out.
 */
export interface MetricView {
  readonly declaration: MetricDeclaration
  /** The name of the metric whose samples it shows. */
  readonly of: string
  readonly labels: (labels: Labels) => Labels
}

interface KnownMetric {
  readonly name: string
  readonly labels: readonly string[]
  readonly help: string
  readonly from: (labels: Labels, host: string) => Labels
}

const withController = ['name', 'controller'] as const
const ofQueue = ({ name = '' }: Labels): Labels => ({ name, controller: name })
const same = (labels: Labels): Labels => labels

const queue = (name: string, help: string): KnownMetric => ({
  name: `workqueue_${name}`,
  labels: withController,
  help,
  from: ofQueue,
})

const runtime = (name: string, help: string): KnownMetric => ({
  name: `controller_runtime_${name}`,
  labels: ['controller'],
  help,
  from: same,
})

/** The results that are no `error`, as controller-runtime names them. A conflict is none: it is expected, and retried. */
const results: Readonly<Record<string, string>> = {
  settled: 'success',
  stuck: 'success',
  again: 'requeue_after',
  conflict: 'requeue',
  aborted: 'requeue',
}

/**
 * The names under which controller-runtime and client-go show the same, by the runtime's own: dashboards and alerts for
 * those find them. Only the bounds of buckets differ.
 */
export const knownMetrics = {
  reconciles: {
    name: 'controller_runtime_reconcile_total',
    labels: ['controller', 'result'],
    help: 'Finished reconciles by result: success, error, requeue or requeue_after.',
    from: ({ controller = '', result = '' }) => ({
      controller,
      result: results[result] ?? 'error',
    }),
  },
  reconcileErrors: runtime('reconcile_errors_total', 'Reconciles that failed and are retried.'),
  terminalErrors: runtime(
    'terminal_reconcile_errors_total',
    'Reconciles that failed because the API server refused a request as invalid or forbidden.',
  ),
  panics: runtime(
    'reconcile_panics_total',
    'Reconciles that failed with a programming error, such as a TypeError.',
  ),
  reconcileSeconds: runtime('reconcile_time_seconds', 'Duration of a reconcile in seconds.'),
  activeWorkers: runtime('active_workers', 'Workers that are reconciling now.'),
  maxWorkers: runtime('max_concurrent_reconciles', 'Workers that the controller has.'),
  queueDepth: queue('depth', 'Keys that wait for a worker.'),
  queueAdds: queue('adds_total', 'Keys added to the queue.'),
  queueRetries: queue('retries_total', 'Keys added again after a failure.'),
  queueSeconds: queue('queue_duration_seconds', 'Seconds that a key waited for a worker.'),
  workSeconds: queue('work_duration_seconds', 'Seconds that a worker spent on a key.'),
  unfinishedSeconds: queue(
    'unfinished_work_seconds',
    'Seconds of work in progress, summed over all workers.',
  ),
  longestSeconds: queue(
    'longest_running_processor_seconds',
    'Age in seconds of the oldest work in progress.',
  ),
  apiRequests: {
    name: 'rest_client_requests_total',
    labels: ['code', 'host', 'method'],
    help: 'Requests to the Kubernetes API; the code is the HTTP status, or <error> without an answer.',
    from: ({ verb = '', code = '' }, host) => ({
      code: code === 'none' ? '<error>' : code,
      host,
      method: methods[verb as Verb] ?? verb,
    }),
  },
  leader: {
    name: 'leader_election_master_status',
    labels: ['name'],
    help: '1 while this process leads, otherwise 0.',
    from: same,
  },
} as const satisfies { readonly [Metric in keyof KubeMetricTable]?: KnownMetric }

/** The views of a table of metrics. `host` is the API server's, for a label. */
export const knownViews = (table: KubeMetricTable, host: string): readonly MetricView[] =>
  Object.entries<KnownMetric>(knownMetrics).map(([metric, { name, labels, help, from }]) => {
    const viewed: MetricDeclaration = table[metric as keyof typeof knownMetrics]
    return {
      declaration: { ...viewed, name, labels, help },
      of: viewed.name,
      labels: (given) => from(given, host),
    }
  })
