import { knownViews, type MetricView } from './known-metrics.ts'
import type { Labels, MetricDeclaration } from './metric-declaration.ts'
import { type KubeMetricTable, kubeMetricTable } from './metric-table.ts'

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
  /**
   * Calls `sample` before each exposition, to set gauges whose values change with time alone, until the returned function
   * is called.
   */
  onScrape(sample: () => void): () => void
  /** Shows the samples of a declared metric under another name, too. Without it there are only the runtime's own names. */
  view?(view: MetricView): void
}

export interface KubeMetricsOptions {
  /** Begins every name, as in `example_controller_`. */
  readonly prefix: string
  /** The API server's, as in `10.0.0.1:443`; a label of `rest_client_requests_total`. @default empty */
  readonly host?: string
}

interface MetricOfKind {
  counter: CounterMetric
  gauge: GaugeMetric
  histogram: HistogramMetric
}

export type KubeMetrics = Pick<MetricRegistry, 'onScrape'> & {
  readonly [Name in keyof KubeMetricTable]: MetricOfKind[KubeMetricTable[Name]['kind']]
}

/** Declares the whole table, and the views of `knownMetrics`. To be called once for each registry. */
export function createKubeMetrics(
  registry: MetricRegistry,
  { prefix, host = '' }: KubeMetricsOptions,
): KubeMetrics {
  const table = kubeMetricTable(prefix)
  const declared = Object.entries(table).map(([name, declaration]) => [
    name,
    registry[declaration.kind](declaration),
  ])
  for (const view of knownViews(table, host)) registry.view?.(view)
  const onScrape = (sample: () => void) => registry.onScrape(sample)
  return { ...Object.fromEntries(declared), onScrape } as KubeMetrics
}

/** For callers that keep no metrics. */
export const noKubeMetrics: KubeMetrics = createKubeMetrics(
  {
    counter: () => ({ inc() {} }),
    gauge: () => ({ set() {} }),
    histogram: () => ({ observe() {} }),
    onScrape: () => () => undefined,
  },
  { prefix: '' },
)
