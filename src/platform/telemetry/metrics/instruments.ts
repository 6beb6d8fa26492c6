import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { Exposition } from './metrics.ts'
import { withOwnNames } from './own-names.ts'

/** One metric of another module's table. */
interface InstrumentDeclaration {
  readonly name: string
  readonly labels: readonly string[]
  readonly help: string
  readonly buckets?: readonly number[]
}

/** Samples whose labels become equal are one, with their sum. */
interface MetricViewDeclaration {
  readonly declaration: InstrumentDeclaration
  /** The name of a metric that was declared before. */
  readonly of: string
  readonly labels: (labels: Labels) => Labels
}

type Labels = Readonly<Record<string, string>>

/** Metrics of a process that has its own table, such as the operator. */
export interface Instruments {
  counter(declaration: InstrumentDeclaration): { inc(labels: Labels, by?: number): void }
  gauge(declaration: InstrumentDeclaration): {
    set(labels: Labels, value: number): void
    remove(labels: Labels): void
  }
  histogram(declaration: InstrumentDeclaration): { observe(labels: Labels, value: number): void }
  /** Calls `sample` before each exposition, until the returned function is called. */
  onScrape(sample: () => void): () => void
  /** Shows the samples of a declared metric under another name, too. */
  view(view: MetricViewDeclaration): void
  expose(): Promise<Exposition>
}

/** A registry with the metrics of the Node process and those that the caller declares. */
export function createInstruments(): Instruments {
  const register = new Registry()
  const samplers = new Set<() => void>()
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  const settings = ({ name, labels, help }: InstrumentDeclaration) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [register],
  })
  return {
    counter: (declaration) => new Counter(settings(declaration)),
    gauge: (declaration) => new Gauge(settings(declaration)),
    histogram: (declaration) =>
      new Histogram({
        ...settings(declaration),
        ...(declaration.buckets && { buckets: [...declaration.buckets] }),
      }),
    onScrape: (sample) => {
      samplers.add(sample)
      return () => {
        samplers.delete(sample)
      }
    },
    view: ({ declaration, of, labels }) => {
      const viewed = register.getSingleMetric(of)
      if (!viewed) throw new TypeError(`there is no metric ${of}`)
      register.registerMetric(viewOf(viewed, declaration, labels))
    },
    expose: async () => {
      for (const sample of samplers) sample()
      const texts = await Promise.all([register.metrics(), ofProcess.metrics()])
      return { contentType: register.contentType, text: texts[0] + withOwnNames(texts[1]) }
    },
  }
}

/** A value of a histogram has the name of its series; others have that of the metric. */
type Value = MetricValue<string> & { readonly metricName?: string }

/** Reads the values of `viewed` at each exposition; keeps none of its own. */
function viewOf(
  viewed: Metric,
  { name, help }: InstrumentDeclaration,
  labelsOf: (labels: Labels) => Labels,
): Metric {
  const get = async () => {
    const { values, ...rest } = await viewed.get()
    const sums = new Map<string, Value>()
    for (const { labels, value, metricName } of values as readonly Value[]) {
      const { le, ...own } = labels as Labels
      const shown = { ...labelsOf(own), ...(le !== undefined && { le }) }
      const series = name + (metricName ?? rest.name).slice(rest.name.length)
      const key = JSON.stringify([series, shown])
      const sum = value + (sums.get(key)?.value ?? 0)
      sums.set(key, { metricName: series, labels: shown, value: sum })
    }
    return { ...rest, name, help, values: [...sums.values()] }
  }
  return { name, get } as unknown as Metric // A registry calls no more of it; the type is of the library's own classes.
}
