import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { type Declaration, metricTable } from './metric-table.ts'
import { withOwnNames } from './own-names.ts'

/** A finished request, as the HTTP server reports it. `route` is the declared path, never the requested one. */
export interface RequestFacts {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly seconds: number
}

/** Connections to the database. */
export interface ConnectionCounts {
  readonly inUse: number
  readonly idle: number
  /** Queries without one. */
  readonly waiting: number
}

type Table = typeof metricTable
type Instrument<D extends Declaration> = {
  counter: Counter<D['labels'][number]>
  gauge: Gauge<D['labels'][number]>
  histogram: Histogram<D['labels'][number]>
}[D['kind']]

/** One instrument for each row of the table. Label values come from closed sets, always. */
type Instruments = { readonly [Name in keyof Table]: Instrument<Table[Name]> }

export interface Metrics extends Instruments {
  observeRequest(facts: RequestFacts): void
  /** Sets what each exposition reads the connection counts from; `undefined` without a pool. */
  watchConnections(read: () => ConnectionCounts | undefined): void
  /** The present values of the instruments, to be included in another thread. */
  readings(): Promise<MetricReadings>
  /** Adds what `read` resolves with, the readings of a thread, to each exposition, until it is disposed of. */
  include(read: () => Promise<MetricReadings>): Disposable
  /** The exposition text and its content type. */
  expose(): Promise<Exposition>
}

/** Values of instruments; a plain value, which threads can send to each other. */
export type MetricReadings = readonly MetricObjectWithValues<MetricValue<string>>[]

export interface Exposition {
  readonly contentType: string
  readonly text: string
}

export interface MetricsOptions {
  /** Also expose the metrics of the Node process. Off in tests: it keeps observers running. */
  processMetrics?: boolean
}

/** Node's parser lets some thirty methods through; only these have a meaning for the service. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A registry of its own for each call, so that several services fit in one process. */
export function createMetrics({ processMetrics = false }: MetricsOptions = {}): Metrics {
  const register = new Registry()
  const instruments = instrumentsIn(register)
  const ofProcess = new Registry()
  if (processMetrics) collectDefaultMetrics({ register: ofProcess })
  const included = new Set<() => Promise<MetricReadings>>()
  let readConnections: () => ConnectionCounts | undefined = () => undefined

  return {
    ...instruments,
    observeRequest({ method, route, status, seconds }) {
      const known = methods.has(method) ? method : 'other'
      instruments.requestDuration.observe({ method: known, route, status }, seconds)
    },
    watchConnections(read) {
      readConnections = read
    },
    readings: () => register.getMetricsAsJSON(),
    include(read) {
      included.add(read)
      return { [Symbol.dispose]: () => void included.delete(read) }
    },
    async expose() {
      showConnections(instruments, readConnections())
      const all = await Promise.all([
        register.getMetricsAsJSON(),
        ...[...included].map((read) => read()),
      ])
      const merged =
        included.size === 0 ? register : AggregatorRegistry.aggregate(all.map((each) => [...each]))
      const texts = await Promise.all([merged.metrics(), ofProcess.metrics()])
      return { contentType: register.contentType, text: texts[0] + withOwnNames(texts[1]) }
    },
  }
}

function instrumentsIn(register: Registry): Instruments {
  const make = ({ kind, name, help, labels, buckets }: Declaration) => {
    const settings = { name, help, labelNames: [...labels], registers: [register] }
    if (kind === 'counter') return new Counter(settings)
    if (kind === 'gauge') return new Gauge(settings)
    return new Histogram({ ...settings, ...(buckets && { buckets: [...buckets] }) })
  }
  const made = Object.entries<Declaration>(metricTable).map(([key, row]) => [key, make(row)])
  const instruments = Object.fromEntries(made) as Instruments
  // A gauge without labels starts with 0: in a process without the explorer that would say that nothing ingests.
  instruments.explorerIngesting.remove()
  return instruments
}

function showConnections(
  { databaseConnections, databaseWaiting }: Instruments,
  counts: ConnectionCounts | undefined,
): void {
  if (!counts) return
  databaseConnections.set({ state: 'in_use' }, counts.inUse)
  databaseConnections.set({ state: 'idle' }, counts.idle)
  databaseWaiting.set(counts.waiting)
}
