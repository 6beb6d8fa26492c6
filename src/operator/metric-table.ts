import type { MetricDeclaration } from '../kube/metrics.ts'

/** How our resources stand, as metrics: the shape is that of kube-state-metrics. A resource that is gone has none. */
export const resourceMetricTable = {
  condition: {
    kind: 'gauge',
    name: 'svc_resource_condition',
    labels: ['kind', 'namespace', 'name', 'type', 'status'],
    help: '1 for the status that a condition of a Facilitator or ChannelPool has just now.',
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
    help: 'The generation that its status is about.',
  },
  deletion: {
    kind: 'gauge',
    name: 'svc_resource_deletion_timestamp_seconds',
    labels: ['kind', 'namespace', 'name'],
    help: 'Unix time at which its deletion was asked for; absent while nobody has.',
  },
} as const satisfies Readonly<Record<string, MetricDeclaration>>

export type ResourceMetric = keyof typeof resourceMetricTable
