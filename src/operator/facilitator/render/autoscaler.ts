import type { Facilitator } from '../../../api/facilitator.ts'
import { labels } from '../../../api/marks.ts'
import type { DesiredObject } from '../../../kube/resource.ts'
import { metadataOf } from './common.ts'

/** Seconds of little to do before pods are taken away. */
const CALM_SECONDS = 300

/** What Prometheus makes of the name of a label. */
export const promLabel = (label: string): string => label.replace(/[^a-zA-Z0-9_]/g, '_')

/**
 * Scales the Facilitator, not its Deployment: `spec.replicas` stays the one truth, and the operator
 * follows it.
 */
export function autoscaler(facilitator: Facilitator): readonly DesiredObject[] {
  const { autoscale } = facilitator.spec
  if (!autoscale) return []
  const { min, max, targetCpuPercent, targetInFlightSettlements } = autoscale
  const { apiVersion, kind, metadata } = facilitator
  const cpu = {
    type: 'Resource',
    resource: {
      name: 'cpu',
      target: { type: 'Utilization', averageUtilization: targetCpuPercent },
    },
  }
  return [
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: metadataOf(facilitator, { suffix: 'facilitator', component: 'facilitator' }),
      spec: {
        scaleTargetRef: { apiVersion, kind, name: metadata.name },
        minReplicas: min,
        maxReplicas: Math.max(min, max),
        metrics: [
          cpu,
          ...(targetInFlightSettlements === undefined
            ? []
            : [settlements(facilitator, targetInFlightSettlements)]),
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: CALM_SECONDS } },
      },
    },
  ]
}

/** Every pod tells the figure of all of them, so it is one of the service, divided by the pods. */
const settlements = ({ metadata }: Facilitator, each: number) => ({
  type: 'External',
  external: {
    metric: {
      name: 'svc_settlements_unfinished',
      selector: { matchLabels: { [promLabel(labels.facilitator)]: metadata.name } },
    },
    target: { type: 'AverageValue', averageValue: String(each) },
  },
})
