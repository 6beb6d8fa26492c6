import { childAnnotations } from '../../../crd/names/marks.ts'
import { keyOf } from '../../../runtime/objects/resource.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import { isRolledOut, type Workload, workloadOf } from '../observe/workload.ts'
import type { Rollout } from '../render/render.ts'
import type { FacilitatorPlan } from './plan.ts'
import { liveDeployment } from './template-change.ts'

const MAX_ROLLOUTS = 5
/** Longer than the next rollout takes to follow. After that the same Secret may have changed again. */
const PROVEN_FOR_MS = 600_000

/** A Facilitator that rolls out a change which is not in its spec. */
interface Holder {
  /** Which change: equal for all Facilitators that it reaches. */
  readonly change: string
  /** `namespace/name` */
  readonly name: string
  /** Its pods served before: a stall is the fault of the change. */
  readonly wasServing: boolean
  isStalled: boolean
}

/**
 * Limits how many Facilitators roll out at once after a change that is not in their spec, such as a new image of the
 * operator or a shared Secret: one goes first, then five at a time. When a rollout stalls that began with pods that
 * served, or its migration or preflight fails, the others with the same change wait until it is complete, or the change
 * is another one. A rollout of a new spec never waits. It lives in the memory of the leader: the next one finds the
 * rollouts that have stalled by their Deployments.
 */
export class RolloutSlots {
  readonly #holders = new Map<string, Holder>()
  /** Changes that a Facilitator has completed, and when the last one did, in Unix ms. */
  readonly #proven = new Map<string, number>()
  readonly #limit: number

  constructor(limit = MAX_ROLLOUTS) {
    this.#limit = limit
  }

  /** The plan, without its Jobs and rollouts when it has to wait. */
  admit(plan: FacilitatorPlan, observed: ObservedFacilitator): FacilitatorPlan {
    const { uid, generation } = observed.facilitator.metadata
    const isForeign = observed.facilitator.status?.observedGeneration === generation
    const [replacing] = plan.replacing
    if (!replacing) this.#follow(plan, observed)
    if (!replacing || !isForeign) {
      if (replacing) this.#holders.delete(uid)
      return plan
    }
    const change = changeOf(observed, replacing)
    const own = this.#holders.get(uid)
    if (own?.change === change) {
      if (hasFailed(plan)) own.isStalled = true
      return plan
    }
    this.#holders.delete(uid)
    const heldBy = this.#stalled(change)
    if (heldBy !== undefined) return held(plan, { heldBy })
    const isProven = observed.now - (this.#proven.get(change) ?? 0) < PROVEN_FOR_MS
    const others = [...this.#holders.values()].filter(({ isStalled }) => !isStalled)
    const isFree = isProven || !others.some((other) => other.change === change)
    if (!isFree || others.length >= this.#limit) return held(plan, {})
    const wasServing = workloadsOf(plan, observed).some(({ ready }) => ready > 0)
    const name = keyOf(observed.facilitator.metadata)
    this.#holders.set(uid, { change, name, wasServing, isStalled: hasFailed(plan) })
    return plan
  }

  /** For a Facilitator that was deleted. */
  release(uid: string): void {
    this.#holders.delete(uid)
  }

  #stalled(change: string): string | undefined {
    return [...this.#holders.values()].find(
      (holder) => holder.change === change && holder.isStalled && holder.wasServing,
    )?.name
  }

  /** Its change is applied: it waits for the pods. */
  #follow(plan: FacilitatorPlan, observed: ObservedFacilitator): void {
    const { uid } = observed.facilitator.metadata
    const own = this.#holders.get(uid)
    const isComplete = plan.rollouts.every((rollout) =>
      isRolledOut(workloadOf(liveDeployment(observed, rollout)), rollout.part.replicas),
    )
    const workloads = workloadsOf(plan, observed)
    const isStalled = workloads.some((workload) => workload.isStalled)
    if (own && isComplete && plan.rollouts.length > 0) {
      this.#proven.set(own.change, observed.now)
      this.#holders.delete(uid)
    } else if (own) own.isStalled = isStalled
    else if (isStalled) this.#adopt(plan, observed, workloads)
  }

  /** A rollout that stalled under an earlier leader: its image is the change, if it was one for others. */
  #adopt(plan: FacilitatorPlan, observed: ObservedFacilitator, workloads: readonly Workload[]) {
    const { metadata } = observed.facilitator
    const [rollout] = plan.rollouts
    const live = rollout && liveDeployment(observed, rollout)
    if (!live) return
    const wasServing = workloads.some(({ ready, updated }) => ready > 0 && updated > 0)
    const change = `image ${imageOf(Object(live.spec).template, rollout)}`
    const name = keyOf(metadata)
    this.#holders.set(metadata.uid, { change, name, wasServing, isStalled: true })
  }
}

const hasFailed = ({ migration, preflight }: FacilitatorPlan): boolean =>
  migration.state === 'Failed' || preflight?.result.state === 'Failed'

const workloadsOf = ({ rollouts, replacing }: FacilitatorPlan, observed: ObservedFacilitator) =>
  [...rollouts, ...replacing].map((rollout) => workloadOf(liveDeployment(observed, rollout)))

const held = (plan: FacilitatorPlan, by: Pick<FacilitatorPlan, 'heldBy'>): FacilitatorPlan => ({
  ...plan,
  migrate: undefined,
  check: [],
  rollouts: [],
  retryMs: undefined,
  // The last migration is done as long as its pods stay.
  remove: plan.remove.filter(({ kind }) => kind !== 'Job'),
  isHeld: true,
  ...by,
})

/** An image reaches every namespace; a Secret or a pool only those of one. */
function changeOf(observed: ObservedFacilitator, rollout: Rollout): string {
  const live = Object(liveDeployment(observed, rollout)?.spec).template
  const desired = Object(rollout.deployment['spec']).template
  const image = imageOf(desired, rollout)
  if (image !== imageOf(live, rollout)) return `image ${image}`
  const { namespace } = observed.facilitator.metadata
  const { configHash, secretHash } = childAnnotations
  const differs = (name: string) =>
    live?.metadata?.annotations?.[name] !== desired.metadata?.annotations?.[name]
  if (differs(configHash) || differs(secretHash)) return `settings of ${namespace}`
  // A new version of the operator renders other pods.
  return 'template'
}

/** The spec's template may have further containers. */
const imageOf = (template: unknown, { part }: Rollout): string => {
  const containers: readonly { name: string; image: string }[] =
    Object(template).spec?.containers ?? []
  return containers.find(({ name }) => name === part.component)?.image ?? ''
}
