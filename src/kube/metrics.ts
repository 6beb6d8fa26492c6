import { type KubeMetricTable, kubeMetricTable } from './metric-table.ts'

export interface MetricDeclaration {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly name: string
  readonly labels: readonly string[]
  readonly help: string
  readonly buckets?: readonly number[]
}

export type Labels = Readonly<Record<string, string>>

interface CounterMetric {
  inc(labels: Labels, by?: number): void
}

interface GaugeMetric {
  set(labels: Labels, value: number): void
}

interface HistogramMetric {
  observe(labels: Labels, value: number): void
}

/** The port to a metrics library. */
export interface MetricRegistry {
  counter(declaration: MetricDeclaration): CounterMetric
  gauge(declaration: MetricDeclaration): GaugeMetric
  histogram(declaration: MetricDeclaration): HistogramMetric
  /** Calls `sample` before each exposition, to set gauges whose values change with time alone. */
  onScrape(sample: () => void): void
}

interface MetricOfKind {
  counter: CounterMetric
  gauge: GaugeMetric
  histogram: HistogramMetric
}

export type KubeMetrics = Pick<MetricRegistry, 'onScrape'> & {
  readonly [Name in keyof KubeMetricTable]: MetricOfKind[KubeMetricTable[Name]['kind']]
}

/** Declares the whole table. To be called once for each registry. */
export function createKubeMetrics(registry: MetricRegistry): KubeMetrics {
  const declared = Object.entries(kubeMetricTable).map(([name, declaration]) => [
    name,
    registry[declaration.kind](declaration),
  ])
  const onScrape = (sample: () => void) => registry.onScrape(sample)
  return { ...Object.fromEntries(declared), onScrape } as KubeMetrics
}

/** For callers that keep no metrics. */
export const noKubeMetrics: KubeMetrics = createKubeMetrics({
  counter: () => ({ inc() {} }),
  gauge: () => ({ set() {} }),
  histogram: () => ({ observe() {} }),
  onScrape() {},
})
