import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { metricTable, processMetricPrefix } from './metric-table.ts'

interface Declaration<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labels: readonly Label[]
}

/** A finished request, as the HTTP room tells it. `route` is the pattern, never the path itself. */
export interface RequestFacts {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

export interface Metrics {
  readonly verifications: Counter<'network' | 'outcome' | 'reason'>
  readonly settlements: Counter<'network' | 'outcome' | 'reason'>
  readonly sponsorBalance: Gauge<'network'>
  readonly channelsInUse: Gauge<'network'>
  readonly channelsTotal: Gauge<'network'>
  readonly reconciled: Counter
  readonly backgroundErrors: Counter<'task'>
  readonly rateLimited: Counter
  readonly rateLimitUnshared: Counter
  observeRequest(facts: RequestFacts): void
  /** The exposition text and its content type. */
  expose(): Promise<Exposition>
}

export interface Exposition {
  readonly contentType: string
  readonly text: string
}

export interface MetricsOptions {
  /** Also expose the metrics of the Node process. Off in tests: it keeps observers running. */
  processMetrics?: boolean
}

/** A registry of its own for each call, so that several services fit in one process. */
export function createMetrics({ processMetrics = false }: MetricsOptions = {}): Metrics {
  const register = new Registry()
  if (processMetrics) collectDefaultMetrics({ register, prefix: processMetricPrefix })

  const settings = <Label extends string>({ name, help, labels }: Declaration<Label>) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [register],
  })
  const { requestDuration } = metricTable
  const duration = new Histogram({
    ...settings(requestDuration),
    buckets: [...requestDuration.buckets],
  })

  return {
    verifications: new Counter(settings(metricTable.verifications)),
    settlements: new Counter(settings(metricTable.settlements)),
    sponsorBalance: new Gauge(settings(metricTable.sponsorBalance)),
    channelsInUse: new Gauge(settings(metricTable.channelsInUse)),
    channelsTotal: new Gauge(settings(metricTable.channelsTotal)),
    reconciled: new Counter(settings(metricTable.reconciled)),
    backgroundErrors: new Counter(settings(metricTable.backgroundErrors)),
    rateLimited: new Counter(settings(metricTable.rateLimited)),
    rateLimitUnshared: new Counter(settings(metricTable.rateLimitUnshared)),
    observeRequest({ method, route, status, seconds }) {
      duration.observe({ method, route, status }, seconds)
    },
    async expose() {
      return { contentType: register.contentType, text: await register.metrics() }
    },
  }
}
