import type { Informer } from '../../runtime/cache/informer.ts'
import type { Labels, MetricDeclaration } from '../../runtime/metrics/metric-declaration.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'

/** The port to a metrics library. */
export interface GaugeRegistry {
  gauge(declaration: MetricDeclaration): {
    set(labels: Labels, value: number): void
    remove(labels: Labels): void
  }
}

export interface Sample<Metric extends string> {
  readonly metric: Metric
  readonly labels: Labels
  readonly value: number
}

/** Has to be called before the informer runs. */
export type WatchInformer<T extends KubeObject> = (informer: Pick<Informer<T>, 'onChange'>) => void

/**
 * Keeps gauges in step with the objects of informers; a deleted object has no samples. Declares the metrics:
 * once for each registry.
 */
export function createObjectGauges<Metric extends string, T extends KubeObject>(
  registry: GaugeRegistry,
  table: Readonly<Record<Metric, MetricDeclaration>>,
  samplesOf: (object: T) => readonly Sample<Metric>[],
): WatchInformer<T> {
  const entries = Object.entries<MetricDeclaration>(table)
  const gauges = new Map(
    entries.map(([metric, declaration]) => [metric, registry.gauge(declaration)]),
  )
  return (informer) =>
    informer.onChange(({ type, object, previous }) => {
      const samples = type === 'deleted' ? [] : samplesOf(object)
      const present = new Set(samples.map(seriesOf))
      for (const sample of previous ? samplesOf(previous) : []) {
        if (!present.has(seriesOf(sample))) gauges.get(sample.metric)?.remove(sample.labels)
      }
      for (const { metric, labels, value } of samples) gauges.get(metric)?.set(labels, value)
    })
}

const seriesOf = ({ metric, labels }: Sample<string>): string => JSON.stringify([metric, labels])
