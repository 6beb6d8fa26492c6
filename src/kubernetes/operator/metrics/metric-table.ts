import type { MetricDeclaration } from '../../runtime/metrics/metric-declaration.ts'
import { kubeMetricTable } from '../../runtime/metrics/metric-table.ts'

/** Begins the names of the controller runtime's metrics. */
export const runtimeMetricPrefix = 'svc_controller_'

export const runtimeMetricTable = kubeMetricTable(runtimeMetricPrefix)

/** The name is also in `facilitator` or `channelpool`, by kind; the series has no sample of the other label. */
const resourceLabels = ['kind', 'namespace', 'name', 'facilitator', 'channelpool'] as const

/** Metrics of every Facilitator and ChannelPool, in the shape of kube-state-metrics. A deleted object has none. */
export const resourceMetricTable = {
  condition: {
    kind: 'gauge',
    name: 'svc_resource_condition',
    labels: [...resourceLabels, 'type', 'status'],
    help: '1 for the current status of a condition of a Facilitator or ChannelPool.',
  },
  generation: {
    kind: 'gauge',
    name: 'svc_resource_generation',
    labels: resourceLabels,
    help: 'metadata.generation of a Facilitator or ChannelPool.',
  },
  observedGeneration: {
    kind: 'gauge',
    name: 'svc_resource_observed_generation',
    labels: resourceLabels,
    help: 'The generation that the status of a Facilitator or ChannelPool describes.',
  },
  paused: {
    kind: 'gauge',
    name: 'svc_resource_paused',
    labels: resourceLabels,
    help: '1 while the annotation x402.svc.dev/paused of a Facilitator or ChannelPool is true, otherwise 0.',
  },
  deletion: {
    kind: 'gauge',
    name: 'svc_resource_deletion_timestamp_seconds',
    labels: resourceLabels,
    help: 'Unix time at which the deletion of a Facilitator or ChannelPool was requested; absent unless it is being deleted.',
  },
} as const satisfies Readonly<Record<string, MetricDeclaration>>

export type ResourceMetric = keyof typeof resourceMetricTable
