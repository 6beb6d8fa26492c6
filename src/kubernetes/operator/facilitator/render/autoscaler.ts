import type { Facilitator } from '../../../crd/facilitator.ts'
import { labels } from '../../../crd/names/marks.ts'
import { strategicMerge } from '../../../runtime/apply/strategic-merge.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import { metadataOf } from '../spec/child-metadata.ts'

const MIN_REPLICAS = 2

/** Pods are removed only after this many seconds at low load. */
const ownBehavior = { scaleDown: { stabilizationWindowSeconds: 300 } }

/** The name of a Kubernetes label as a Prometheus label. */
const promLabel = (label: string): string => label.replace(/[^a-zA-Z0-9_]/g, '_')

/** Scales the Facilitator, not its Deployment: the operator sets the replicas of the Deployment. */
export function autoscaler(facilitator: Facilitator): readonly DesiredObject[] {
  const { autoscale } = facilitator.spec
  if (!autoscale) return []
  const { maxReplicas, targetCpuPercent, targetInFlightSettlements } = autoscale
  const minReplicas = autoscale.minReplicas ?? Math.min(MIN_REPLICAS, maxReplicas)
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
        minReplicas,
        maxReplicas,
        metrics: [
          cpu,
          ...(targetInFlightSettlements === undefined
            ? []
            : [settlements(facilitator, targetInFlightSettlements)]),
        ],
        behavior: strategicMerge(ownBehavior, autoscale.behavior, ['spec', 'behavior']),
      },
    },
  ]
}

/** Every pod exports the number of the whole service, hence External with an average: divided by the pods. */
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
