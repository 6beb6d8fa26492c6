import { labels } from '../../api/marks.ts'
import type { DesiredObject } from '../../kube/resource.ts'
import { type Part, partsOf } from './parts.ts'
import { autoscaler } from './render/autoscaler.ts'
import { configMap } from './render/config-map.ts'
import { deployment } from './render/deployment.ts'
import { disruptionBudget } from './render/disruption-budget.ts'
import { migrationJob } from './render/migration-job.ts'
import { monitor, prometheusRule } from './render/monitoring.ts'
import { networkPolicies } from './render/network-policy.ts'
import { routes } from './render/route.ts'
import { service } from './render/service.ts'
import { serviceAccount } from './render/service-account.ts'
import type { Wanted } from './wanted.ts'

/** All children of a Facilitator, in the order in which they are written. */
export interface Rendered {
  /** What may be written whatever version the database has. */
  readonly around: readonly DesiredObject[]
  readonly migration: DesiredObject
  /** What runs pods of the new kind: not before the migration has succeeded. */
  readonly rollouts: readonly Rollout[]
}

export interface Rollout {
  readonly part: Part
  readonly configMap: DesiredObject
  readonly deployment: DesiredObject
}

/** Pure: the same is wanted, the same is rendered. */
export function render(wanted: Wanted): Rendered {
  const { facilitator } = wanted
  const parts = partsOf(facilitator)
  const isMonitored = facilitator.spec.monitoring.mode !== 'Never'
  return {
    around: [
      serviceAccount(facilitator),
      ...networkPolicies(wanted),
      ...parts.flatMap((part) => [
        service(part, facilitator),
        ...disruptionBudget(part, facilitator),
      ]),
      ...autoscaler(facilitator),
      ...routes(facilitator),
      ...(isMonitored ? [monitor(facilitator), prometheusRule(facilitator)] : []),
    ],
    migration: migrationJob(wanted),
    rollouts: parts.map((part) => ({
      part,
      configMap: configMap(part, wanted),
      deployment: withVersion(deployment(part, wanted), wanted),
    })),
  }
}

/** On the Deployment alone: on its pods the label would roll them for nothing. */
function withVersion(object: DesiredObject, { facilitator }: Wanted): DesiredObject {
  const tag = facilitator.spec.image?.tag
  if (tag === undefined || !/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(tag))
    return object
  const { metadata } = object
  return {
    ...object,
    metadata: { ...metadata, labels: { ...metadata.labels, [labels.version]: tag } },
  }
}
