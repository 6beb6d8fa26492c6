import type { Facilitator } from '../../../crd/facilitator.ts'
import { childAnnotations } from '../../../crd/names/marks.ts'
import { findDrift } from '../../../runtime/apply/drift.ts'
import { planApply } from '../../../runtime/apply/plan-apply.ts'
import { controllerOf } from '../../../runtime/cache/owners.ts'
import { type DesiredObject, isBeingDeleted, keyOf } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import type { Rollout } from '../render/render.ts'
import { allSecretFiles } from '../spec/secret-files.ts'

/** The Deployment of a rollout as it is now. */
export const liveDeployment = (
  observed: ObservedFacilitator,
  { deployment }: Rollout,
): AnyObject | undefined => observed.find('Deployment', keyOf(deployment.metadata))

/** The same, where the Facilitator controls it and it is to stay. */
export function ownDeployment(
  observed: ObservedFacilitator,
  rollout: Rollout,
): AnyObject | undefined {
  const live = liveDeployment(observed, rollout)
  if (!live || isBeingDeleted(live)) return undefined
  return controllerOf(live)?.uid === observed.facilitator.metadata.uid ? live : undefined
}

/** Why applying a child would change it: the field that differs, or the annotation of its hash; undefined when nothing changes. */
export function changeOfChild(
  { facilitator: owner }: ObservedFacilitator,
  desired: DesiredObject,
  live: AnyObject,
): string | undefined {
  const plan = planApply({ desired, live, owner, hashAnnotation: childAnnotations.desiredHash })
  return plan.do === 'change' ? plan.because : undefined
}

/** Whether applying the rollout would replace the pods of an existing Deployment. */
export function replacesPods(observed: ObservedFacilitator, rollout: Rollout): boolean {
  const live = liveDeployment(observed, rollout)
  if (!live) return false
  const { deployment: desired } = rollout
  const because = changeOfChild(observed, desired, live)
  if (because === undefined) return false
  const { desiredHash, templateHash } = childAnnotations
  if (because !== desiredHash) return because.startsWith('spec.template')
  const before = live.metadata.annotations?.[templateHash]
  // An earlier version of the operator did not write the annotation.
  const isOther = before !== undefined && before !== desired.metadata.annotations?.[templateHash]
  return isOther || templateDrifts(desired, live)
}

const templateDrifts = (desired: Rollout['deployment'], { spec }: AnyObject): boolean =>
  findDrift({ spec: { template: Object(desired['spec']).template } }, { spec }) !== undefined

/** A change that is not in the spec of a Facilitator. */
export interface RolloutChange {
  /** Equal for all Facilitators that it reaches, which are those of one namespace. */
  readonly id: string
  /** It came with a new version of the operator, at the same time for all namespaces. */
  readonly isOfOperator: boolean
  /** For a change of settings: the Secrets and pools that they are read from. Facilitators that share none have different changes. */
  readonly sources: ReadonlySet<string> | undefined
}

/** No namespace has a slash in its name. */
const idOf = ({ metadata }: Facilitator, change: string): string =>
  `${metadata.namespace}/${change}`

/** The change of a rollout that replaces pods. */
export function changeOf(observed: ObservedFacilitator, rollout: Rollout): RolloutChange {
  const live = Object(liveDeployment(observed, rollout)?.spec).template
  const desired = Object(rollout.deployment['spec']).template
  const { facilitator } = observed
  const image = imageOf(desired, rollout)
  if (image !== imageOf(live, rollout)) {
    const id = idOf(facilitator, `image ${image}`)
    return { id, isOfOperator: !facilitator.spec.image, sources: undefined }
  }
  const { configHash, secretHash } = childAnnotations
  const differs = (name: string) =>
    live?.metadata?.annotations?.[name] !== desired.metadata?.annotations?.[name]
  const isOfSettings = differs(configHash) || differs(secretHash)
  // A new version of the operator renders other pods.
  const id = idOf(facilitator, isOfSettings ? 'settings' : 'template')
  const sources = isOfSettings ? sourcesOf(observed) : undefined
  return { id, isOfOperator: !isOfSettings, sources }
}

function sourcesOf({ facilitator, pools }: ObservedFacilitator): ReadonlySet<string> {
  const files = allSecretFiles(facilitator, [...pools.values()])
  return new Set([
    ...files.map(({ ref }) => `Secret ${ref.name}`),
    ...[...pools.keys()].map((name) => `ChannelPool ${name}`),
  ])
}

/** The id of the change to the image that the Deployment has now. */
export const liveImageChange = (
  { facilitator }: ObservedFacilitator,
  rollout: Rollout,
  live: AnyObject,
): string => idOf(facilitator, `image ${imageOf(Object(live.spec).template, rollout)}`)

/** The spec's template may have further containers. */
const imageOf = (template: unknown, { part }: Rollout): string => {
  const containers: readonly { name: string; image: string }[] =
    Object(template).spec?.containers ?? []
  return containers.find(({ name }) => name === part.component)?.image ?? ''
}
