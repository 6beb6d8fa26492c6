import { type KubeMetricTable, kubeMetricTable } from './metric-table.ts'

/** A metric as it is asked of whoever keeps metrics. */
export interface MetricDeclaration {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly name: string
  readonly labels: readonly string[]
  readonly help: string
  readonly buckets?: readonly number[]
}

export type Labels = Readonly<Record<string, string>>

export interface CounterMetric {
  inc(labels: Labels, by?: number): void
}

export interface GaugeMetric {
  set(labels: Labels, value: number): void
}

export interface HistogramMetric {
  observe(labels: Labels, value: number): void
}

/** The port to a metrics library. */
export interface MetricRegistry {
  counter(declaration: MetricDeclaration): CounterMetric
  gauge(declaration: MetricDeclaration): GaugeMetric
  histogram(declaration: MetricDeclaration): HistogramMetric
}

interface MetricOfKind {
  counter: CounterMetric
  gauge: GaugeMetric
  histogram: HistogramMetric
}

export type KubeMetrics = {
  readonly [Name in keyof KubeMetricTable]: MetricOfKind[KubeMetricTable[Name]['kind']]
}

/** Declares the whole table; once for each registry. */
export function createKubeMetrics(registry: MetricRegistry): KubeMetrics {
  const declared = Object.entries(kubeMetricTable).map(([name, declaration]) => [
    name,
    registry[declaration.kind](declaration),
  ])
  return Object.fromEntries(declared) as KubeMetrics
}

/** For who keeps no metrics. */
export const noKubeMetrics: KubeMetrics = createKubeMetrics({
  counter: () => ({ inc() {} }),
  gauge: () => ({ set() {} }),
  histogram: () => ({ observe() {} }),
})
