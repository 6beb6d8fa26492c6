import { childAnnotations } from '../../api/marks.ts'
import { findDrift } from '../../kube/drift.ts'
import { planApply } from '../../kube/plan-apply.ts'
import { keyOf } from '../../kube/resource.ts'
import type { AnyObject } from '../../kube/well-known.ts'
import type { ObservedFacilitator } from './observe.ts'
import type { Rollout } from './render.ts'

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
