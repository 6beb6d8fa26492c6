import type { MetricDeclaration } from '../kube/metrics.ts'

/** Metrics of every Facilitator and ChannelPool, in the shape of kube-state-metrics. A deleted object has none. */
export const resourceMetricTable = {
  condition: {
    kind: 'gauge',
    name: 'svc_resource_condition',
    labels: ['kind', 'namespace', 'name', 'type', 'status'],
    help: '1 for the current status of a condition of a Facilitator or ChannelPool.',
  },
  generation: {
    kind: 'gauge',
    name: 'svc_resource_generation',
    labels: ['kind', 'namespace', 'name'],
    help: 'metadata.generation of a Facilitator or ChannelPool.',
  },
  observedGeneration: {
    kind: 'gauge',
    name: 'svc_resource_observed_generation',
    labels: ['kind', 'namespace', 'name'],
    help: 'The generation that the status of a Facilitator or ChannelPool describes.',
  },
  deletion: {
    kind: 'gauge',
    name: 'svc_resource_deletion_timestamp_seconds',
    labels: ['kind', 'namespace', 'name'],
    help: 'Unix time at which the deletion of a Facilitator or ChannelPool was requested; absent unless it is being deleted.',
  },
} as const satisfies Readonly<Record<string, MetricDeclaration>>

export type ResourceMetric = keyof typeof resourceMetricTable
