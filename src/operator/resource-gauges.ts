import type { Condition } from '../api/conditions.ts'
import type { Informer } from '../kube/informer.ts'
import type { Labels, MetricDeclaration } from '../kube/metrics.ts'
import type { KubeObject } from '../kube/resource.ts'
import { type ResourceMetric, resourceMetricTable } from './metric-table.ts'

/** The port to a metrics library. */
export interface GaugeRegistry {
  gauge(declaration: MetricDeclaration): {
    set(labels: Labels, value: number): void
    remove(labels: Labels): void
  }
}

/** An object with a status of ours. */
export interface Reported extends KubeObject {
  readonly status?:
    | {
        readonly observedGeneration?: number | undefined
        readonly conditions?: readonly Pick<Condition, 'type' | 'status'>[] | undefined
      }
    | undefined
}

export interface Sample {
  readonly metric: ResourceMetric
  readonly labels: Labels
  readonly value: number
}

/** Keeps the metrics of every resource of an informer; before it runs. */
export type WatchResources = (informer: Pick<Informer<Reported>, 'onChange'>) => void

/** Declares the whole table; once for each registry. */
export function createResourceGauges(registry: GaugeRegistry): WatchResources {
  const gauges = {
    condition: registry.gauge(resourceMetricTable.condition),
    generation: registry.gauge(resourceMetricTable.generation),
    observedGeneration: registry.gauge(resourceMetricTable.observedGeneration),
    deletion: registry.gauge(resourceMetricTable.deletion),
  }
  return (informer) =>
    informer.onChange(({ type, object, previous }) => {
      const now = type === 'deleted' ? [] : samplesOf(object)
      const kept = new Set(now.map(seriesOf))
      for (const sample of previous ? samplesOf(previous) : []) {
        if (!kept.has(seriesOf(sample))) gauges[sample.metric].remove(sample.labels)
      }
      for (const { metric, labels, value } of now) gauges[metric].set(labels, value)
    })
}

const seriesOf = ({ metric, labels }: Sample): string => JSON.stringify([metric, labels])

/** What there is to say of one resource. */
export function samplesOf({ kind, metadata, status }: Reported): readonly Sample[] {
  const { name, namespace = '', generation, deletionTimestamp } = metadata
  const labels = { kind, namespace, name }
  const sample = (metric: ResourceMetric, value: number | undefined): readonly Sample[] =>
    value === undefined ? [] : [{ metric, labels, value }]
  return [
    ...sample('generation', generation),
    ...sample('observedGeneration', status?.observedGeneration),
    ...sample('deletion', deletionTimestamp === undefined ? undefined : seconds(deletionTimestamp)),
    ...(status?.conditions ?? []).map(
      (condition): Sample => ({
        metric: 'condition',
        labels: { ...labels, type: condition.type, status: condition.status },
        value: 1,
      }),
    ),
  ]
}

const seconds = (timestamp: string): number => Date.parse(timestamp) / 1_000
