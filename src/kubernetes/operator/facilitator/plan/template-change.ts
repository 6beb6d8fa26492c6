import { childAnnotations } from '../../../crd/names/marks.ts'
import { findDrift } from '../../../runtime/apply/drift.ts'
import { planApply } from '../../../runtime/apply/plan-apply.ts'
import { keyOf } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import type { Rollout } from '../render/render.ts'

/** The Deployment of a rollout as it is now. */
export const liveDeployment = (
  observed: ObservedFacilitator,
  { deployment }: Rollout,
): AnyObject | undefined => observed.find('Deployment', keyOf(deployment.metadata))

/** Whether applying the rollout would replace the pods of an existing Deployment. */
export function replacesPods(observed: ObservedFacilitator, rollout: Rollout): boolean {
  const live = liveDeployment(observed, rollout)
  if (!live) return false
  const { deployment: desired } = rollout
  const hashAnnotation = childAnnotations.desiredHash
  const plan = planApply({ desired, live, owner: observed.facilitator, hashAnnotation })
  if (plan.do !== 'change') return false
  if (plan.because !== hashAnnotation) return plan.because.startsWith('spec.template')
  const { templateHash } = childAnnotations
  const before = live.metadata.annotations?.[templateHash]
  // An earlier version of the operator did not write the annotation.
  const isOther = before !== undefined && before !== desired.metadata.annotations?.[templateHash]
  return isOther || templateDrifts(desired, live)
}

const templateDrifts = (desired: Rollout['deployment'], { spec }: AnyObject): boolean =>
  findDrift({ spec: { template: Object(desired['spec']).template } }, { spec }) !== undefined
