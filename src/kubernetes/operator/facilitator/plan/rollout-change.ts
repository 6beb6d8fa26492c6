import type { Facilitator } from '../../../crd/facilitator.ts'
import { childAnnotations } from '../../../crd/names/marks.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import type { Rollout } from '../render/render.ts'
import { liveDeployment } from './template-change.ts'

/** A change that is not in the spec of a Facilitator. */
export interface RolloutChange {
  /** Equal for all Facilitators that it reaches, which are those of one namespace. */
  readonly id: string
  /** It came with a new version of the operator, at the same time for all namespaces. */
  readonly isOfOperator: boolean
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
    return { id: idOf(facilitator, `image ${image}`), isOfOperator: !facilitator.spec.image }
  }
  const { configHash, secretHash } = childAnnotations
  const differs = (name: string) =>
    live?.metadata?.annotations?.[name] !== desired.metadata?.annotations?.[name]
  const isOfSettings = differs(configHash) || differs(secretHash)
  // A new version of the operator renders other pods.
  const id = idOf(facilitator, isOfSettings ? 'settings' : 'template')
  return { id, isOfOperator: !isOfSettings }
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
