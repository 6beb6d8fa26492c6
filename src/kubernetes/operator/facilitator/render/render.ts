import type { Facilitator } from '../../../crd/facilitator.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import type { DesiredFacilitator } from '../desired/desired.ts'
import { metadataOf, selectorOf } from '../spec/child-metadata.ts'
import { type Part, partsOf } from '../spec/parts.ts'
import { autoscaler } from './autoscaler.ts'
import { monitor, prometheusRule } from './monitoring.ts'
import { networkPolicies, preflightPolicy } from './network-policy.ts'
import { type Rollout, rollout } from './pods/deployment.ts'
import { migrationJob } from './pods/migration-job.ts'
import { podInputs } from './pods/pod-inputs.ts'
import { preflightHash, preflightJob } from './pods/preflight-job.ts'
import { routes } from './route.ts'
import { services } from './service.ts'

export type { Rollout } from './pods/deployment.ts'

/** All children of a Facilitator, in the order in which they are written. A pass renders them once. */
export interface Rendered {
  /** Objects that do not depend on the version of the database. */
  readonly independent: readonly DesiredObject[]
  readonly migration: DesiredObject
  /** Only where pods that serve are about to be replaced. */
  readonly preflight: DesiredObject
  /** Objects that exist only while a preflight is needed. */
  readonly whilePreflight: readonly DesiredObject[]
  /** New pods, those of the facilitator first: only after these Jobs have succeeded. */
  readonly rollouts: readonly [Rollout, ...Rollout[]]
}

export function render(desired: DesiredFacilitator): Rendered {
  const { facilitator } = desired
  const parts = partsOf(facilitator)
  const [first, ...others] = parts
  const inputs = podInputs(first, desired)
  const hash = preflightHash(inputs, desired)
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
    preflight: preflightJob(inputs, hash, desired),
    whilePreflight: preflightPolicy(desired),
    rollouts: [
      rollout(inputs, desired, hash),
      ...others.map((part) => rollout(podInputs(part, desired), desired)),
    ],
  }
}

/** For all pods. It has no permissions, and no pod gets its token. None where the pods use another account. */
function serviceAccount(facilitator: Facilitator): readonly DesiredObject[] {
  const { podTemplate, serviceAccount: own } = facilitator.spec
  if (podTemplate.spec.serviceAccountName !== undefined) return []
  return [
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: metadataOf(facilitator, { suffix: 'pods', annotations: own?.annotations }),
      automountServiceAccountToken: false,
    },
  ]
}

/** None for a single pod: its node could never be drained. */
function disruptionBudget(
  { component, replicas }: Part,
  facilitator: Facilitator,
): readonly DesiredObject[] {
  if (replicas < 2) return []
  const budget = facilitator.spec.podDisruptionBudget
  const isSet = budget.minAvailable !== undefined || budget.maxUnavailable !== undefined
  return [
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: metadataOf(facilitator, { suffix: component, component }),
      spec: {
        ...(!isSet && { maxUnavailable: 1 }),
        ...budget,
        selector: { matchLabels: selectorOf(facilitator, component) },
      },
    },
  ]
}
