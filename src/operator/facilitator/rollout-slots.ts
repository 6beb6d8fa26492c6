import { childAnnotations } from '../../api/marks.ts'
import { planApply } from '../../kube/plan-apply.ts'
import { keyOf } from '../../kube/resource.ts'
import type { ObservedFacilitator } from './observe.ts'
import type { FacilitatorPlan } from './plan.ts'
import type { Rollout } from './render.ts'
import { isRolledOut, workloadOf } from './workload.ts'

const MAX_ROLLOUTS = 5

/**
 * Limits how many Facilitators roll out at once after a change that is not in their spec, such as a new image
 * of the operator or a shared Secret: a bad one then reaches few of them. A rollout of a new spec never waits.
 */
export class RolloutSlots {
  readonly #holders = new Set<string>()
  readonly #limit: number

  constructor(limit = MAX_ROLLOUTS) {
    this.#limit = limit
  }

  /** The plan, without its rollouts when no slot is free. */
  admit(plan: FacilitatorPlan, observed: ObservedFacilitator): FacilitatorPlan {
    const { uid } = observed.facilitator.metadata
    if (plan.rollouts.some((rollout) => isForeignChange(observed, rollout))) {
      const mayGo = this.#holders.has(uid) || this.#holders.size < this.#limit
      if (mayGo) this.#holders.add(uid)
      return mayGo ? plan : { ...plan, rollouts: [], isHeld: true }
    }
    // A stalled rollout gives its slot back: otherwise it would block all others.
    if (plan.rollouts.every((rollout) => isOver(observed, rollout))) this.#holders.delete(uid)
    return plan
  }

  /** For a Facilitator that was deleted. */
  release(uid: string): void {
    this.#holders.delete(uid)
  }
}

const liveOf = (observed: ObservedFacilitator, { deployment }: Rollout) =>
  observed.find('Deployment', keyOf(deployment.metadata))

/** Whether the Deployment changes although the spec has not. */
function isForeignChange(observed: ObservedFacilitator, rollout: Rollout): boolean {
  const { facilitator } = observed
  const live = liveOf(observed, rollout)
  if (!live || facilitator.status?.observedGeneration !== facilitator.metadata.generation) {
    return false
  }
  const hashAnnotation = childAnnotations.desiredHash
  const desired = rollout.deployment
  const plan = planApply({ desired, live, owner: facilitator, hashAnnotation })
  return plan.do === 'change' && plan.because === hashAnnotation
}

function isOver(observed: ObservedFacilitator, rollout: Rollout): boolean {
  const workload = workloadOf(liveOf(observed, rollout))
  return workload.isStalled || isRolledOut(workload, rollout.part.replicas)
}
