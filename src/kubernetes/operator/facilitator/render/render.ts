import { canonicalHash } from '../../../../platform/core/text/canonical-json.ts'
import { childAnnotations, labels } from '../../../crd/names/marks.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import type { DesiredFacilitator } from '../desired/desired.ts'
import { type Part, partsOf } from '../spec/parts.ts'
import { autoscaler } from './autoscaler.ts'
import { disruptionBudget } from './disruption-budget.ts'
import { monitor, prometheusRule } from './monitoring.ts'
import { networkPolicies, preflightPolicy } from './network-policy.ts'
import { configMap } from './pods/config-map.ts'
import { deployment } from './pods/deployment.ts'
import { migrationJob } from './pods/migration-job.ts'
import { preflightHash } from './pods/preflight-inputs.ts'
import { preflightJob } from './pods/preflight-job.ts'
import { routes } from './route.ts'
import { services } from './service.ts'
import { serviceAccount } from './service-account.ts'

/** All children of a Facilitator, in the order in which they are written. */
export interface Rendered {
  /** Objects that do not depend on the version of the database. */
  readonly independent: readonly DesiredObject[]
  readonly migration: DesiredObject
  /** Only where pods that serve are about to be replaced. */
  readonly preflight: DesiredObject
  /** Objects that exist only while a preflight is needed. */
  readonly whilePreflight: readonly DesiredObject[]
  /** New pods: only after these Jobs have succeeded. */
  readonly rollouts: readonly Rollout[]
}

export interface Rollout {
  readonly part: Part
  readonly configMap: DesiredObject
  readonly deployment: DesiredObject
}

export function render(desired: DesiredFacilitator): Rendered {
  const { facilitator } = desired
  const parts = partsOf(facilitator)
  const isMonitored = facilitator.spec.monitoring.mode !== 'Never'
  return {
    independent: [
      ...serviceAccount(facilitator),
      ...networkPolicies(desired),
      ...parts.flatMap((part) => [
        ...services(part, facilitator),
        ...disruptionBudget(part, facilitator),
      ]),
      ...autoscaler(facilitator),
      ...routes(facilitator),
      ...(isMonitored ? [monitor(desired), prometheusRule(desired)] : []),
    ],
    migration: migrationJob(desired),
    preflight: preflightJob(desired),
    whilePreflight: preflightPolicy(desired),
    rollouts: parts.map((part) => ({
      part,
      configMap: configMap(part, desired),
      deployment: withHashes(withVersion(deployment(part, desired), desired), part, desired),
    })),
  }
}

/** Tell a change that replaces pods from one that does not, and one that needs a preflight. */
function withHashes(object: DesiredObject, part: Part, desired: DesiredFacilitator): DesiredObject {
  const { metadata, ...others } = object
  const hash = canonicalHash(Object(others['spec']).template)
  const annotations = {
    ...metadata.annotations,
    [childAnnotations.templateHash]: hash,
    ...(part.name === 'Facilitator' && {
      [childAnnotations.preflightHash]: preflightHash(desired),
    }),
  }
  return { ...object, metadata: { ...metadata, annotations } }
}

/** Only on the Deployment: on the pod template the label would cause a rollout. */
function withVersion(object: DesiredObject, { facilitator }: DesiredFacilitator): DesiredObject {
  const tag = facilitator.spec.image?.tag
  if (tag === undefined || !/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(tag))
    return object
  const { metadata } = object
  return {
    ...object,
    metadata: { ...metadata, labels: { ...metadata.labels, [labels.version]: tag } },
  }
}
