import { isMarked } from '../../../crd/names/marks.ts'
import { isBeingDeleted } from '../../../runtime/objects/resource.ts'
import type { FacilitatorResult } from '../converge/converge.ts'
import { serviceName } from '../render/service.ts'
import type { Part } from '../spec/parts.ts'

/** The kinds by which others reach the pods. */
type ReachedKind = 'Service' | 'Ingress' | 'HTTPRoute'

/** Whether the object is the Facilitator's own: the cache shows that, or this pass wrote it. */
export function isOwn(
  { observed, plan, failures }: FacilitatorResult,
  kind: ReachedKind,
  name: string,
): boolean {
  const isIt = (object: { readonly kind: string; readonly metadata: { readonly name: string } }) =>
    object.kind === kind && object.metadata.name === name
  if (observed.owned.some((object) => isIt(object) && !isBeingDeleted(object))) return true
  const isRefused = failures.some(
    ({ reason, object }) => reason === 'ManagedTwice' || object === `${kind} ${name}`,
  )
  const isPaused = isMarked(observed.facilitator, 'paused')
  return !isPaused && !isRefused && (plan?.independent.some(isIt) ?? false)
}

/** Whether what is sent to the Service of the part reaches its pods. */
export const hasOwnService = (result: FacilitatorResult, component: Part['component']): boolean =>
  isOwn(result, 'Service', serviceName(result.observed.facilitator, component))
