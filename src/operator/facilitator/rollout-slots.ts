import { childAnnotations } from '../../api/marks.ts'
import { planApply } from '../../kube/plan-apply.ts'
import { keyOf } from '../../kube/resource.ts'
import type { FacilitatorPlan } from './plan.ts'
import type { Rollout } from './render.ts'
import type { FacilitatorView } from './view.ts'
import { isRolledOut, workloadOf } from './workload.ts'

/** As many Facilitators at once get new pods for a reason that is not in their spec. */
export const ROLLOUTS_AT_ONCE = 5

/**
 * Lets few Facilitators at a time be rolled out after what concerns many: a new operator with a new image,
 * a secret that they share. A new spec waits for nobody.
 */
export class RolloutSlots {
  readonly #holders = new Set<string>()
  readonly #limit: number

  constructor(limit = ROLLOUTS_AT_ONCE) {
    this.#limit = limit
  }

  /** The plan, without its rollouts when they have to wait for others. */
  admit(plan: FacilitatorPlan, view: FacilitatorView): FacilitatorPlan {
    const { uid } = view.facilitator.metadata
    if (plan.rollouts.some((rollout) => isForeignNews(view, rollout))) {
      const mayGo = this.#holders.has(uid) || this.#holders.size < this.#limit
      if (mayGo) this.#holders.add(uid)
      return mayGo ? plan : { ...plan, rollouts: [], isHeld: true }
    }
    // One that makes no progress would keep all others waiting for good.
    if (plan.rollouts.every((rollout) => isOver(view, rollout))) this.#holders.delete(uid)
    return plan
  }

  /** For one that is gone. */
  release(uid: string): void {
    this.#holders.delete(uid)
  }
}

const liveOf = (view: FacilitatorView, { deployment }: Rollout) =>
  view.find('Deployment', keyOf(deployment.metadata))

/** Whether a Deployment would become another one although the spec is what it was. */
function isForeignNews(view: FacilitatorView, rollout: Rollout): boolean {
  const { facilitator } = view
  const live = liveOf(view, rollout)
  if (!live || facilitator.status?.observedGeneration !== facilitator.metadata.generation) {
    return false
  }
  const hashAnnotation = childAnnotations.desiredHash
  const desired = rollout.deployment
  const plan = planApply({ desired, live, owner: facilitator, hashAnnotation })
  return plan.do === 'change' && plan.because === hashAnnotation
}

function isOver(view: FacilitatorView, rollout: Rollout): boolean {
  const workload = workloadOf(liveOf(view, rollout))
  return workload.isStalled || isRolledOut(workload, rollout.part.replicas)
}
