import type { Facilitator } from '../../../crd/facilitator.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import { isRolledOut, type Workload, workloadOf } from '../observe/workload.ts'
import { FairShare } from './fair-share.ts'
import type { FacilitatorPlan } from './plan.ts'
import { changeOf, liveDeployment, liveImageChange } from './rollout-change.ts'

const MAX_ROLLOUTS = 5
/** Longer than the next rollout takes to follow. After that the same Secret may have changed again. */
const PROVEN_FOR_MS = 600_000
/** A rollout stalls or fails long before, unless its pods are many: then the others go on beside it. */
const TURN_MS = 1_800_000

/** A Facilitator that rolls out a change which is not in its spec. */
interface Holder {
  readonly change: string
  readonly namespace: string
  readonly name: string
  /** When it began, in Unix ms. */
  readonly since: number
  /** Its pods served before: a stall is the fault of the change. */
  readonly wasServing: boolean
  isStalled: boolean
}

export interface RolloutSlotsOptions {
  /** Whether the Facilitator still exists: a pass may end after its deletion. */
  readonly exists: (facilitator: Facilitator) => boolean
  /** How many roll out at once: in a namespace, and of a new version of the operator in all. @default 5 */
  readonly limit?: number
}

/**
 * Limits how many Facilitators roll out at once after a change that is not in their spec, such as a new image of the
 * operator or a shared Secret. In a namespace one goes first, then five at a time. When a rollout stalls that began with
 * pods that served, or its migration or preflight fails, the others of the namespace with the same change wait until it is
 * complete, or the change is another one. Nothing that a namespace does holds another one, except that a new version of
 * the operator reaches five Facilitators of all namespaces at a time, by `FairShare`. A rollout of a new spec never
 * waits. It lives in the memory of the leader: the next one finds the rollouts that have stalled by their Deployments.
 */
export class RolloutSlots {
  readonly #holders = new Map<string, Holder>()
  /** Changes that a Facilitator has completed, and when the last one did, in Unix ms. */
  readonly #proven = new Map<string, number>()
  /** Changes that came with a new spec and wait for their Jobs, by uid. */
  readonly #ofSpec = new Map<string, string>()
  readonly #exists: RolloutSlotsOptions['exists']
  readonly #limit: number
  readonly #share: FairShare

  constructor({ exists, limit = MAX_ROLLOUTS }: RolloutSlotsOptions) {
    this.#exists = exists
    this.#limit = limit
    this.#share = new FairShare(limit)
  }

  /** The plan, without its Jobs and rollouts when it has to wait. */
  admit(plan: FacilitatorPlan, observed: ObservedFacilitator): FacilitatorPlan {
    const { facilitator, now } = observed
    const { uid, generation, namespace = '', name } = facilitator.metadata
    if (!this.#exists(facilitator)) {
      this.release(uid)
      return held(plan, {})
    }
    const [replacing] = plan.replacing
    if (!replacing) {
      this.#ofSpec.delete(uid)
      this.#follow(plan, observed)
      return plan
    }
    const change = changeOf(observed, replacing)
    const isNewSpec = facilitator.status?.observedGeneration !== generation
    if (isNewSpec || this.#ofSpec.get(uid) === change.id) {
      this.release(uid)
      this.#ofSpec.set(uid, change.id)
      return plan
    }
    const own = this.#holders.get(uid)
    if (own?.change === change.id) {
      if (hasFailed(plan)) this.#stall(uid, own)
      return plan
    }
    this.release(uid)
    const [heldBy] = this.#holdersOf(change.id).filter((each) => each.isStalled && each.wasServing)
    if (heldBy) return held(plan, { heldBy: heldBy.name })
    if (!this.#isFree(change.id, namespace, now)) return held(plan, {})
    if (change.isOfOperator && !this.#share.take(uid, namespace, now)) return held(plan, {})
    const wasServing = workloadsOf(plan, observed).some(({ ready }) => ready > 0)
    const holder = { change: change.id, namespace, name, since: now, wasServing, isStalled: false }
    this.#holders.set(uid, holder)
    if (hasFailed(plan)) this.#stall(uid, holder)
    return plan
  }

  /** Frees the slot of a Facilitator that the operator does not roll out any more: it is deleted, paused or blocked. */
  release(uid: string): void {
    this.#holders.delete(uid)
    this.#ofSpec.delete(uid)
    this.#share.release(uid)
  }

  #holdersOf(change: string): readonly Holder[] {
    return [...this.#holders.values()].filter((holder) => holder.change === change)
  }

  /** Whether the rollouts of its namespace leave it room. */
  #isFree(change: string, namespace: string, now: number): boolean {
    const others = [...this.#holders.values()].filter(
      (holder) =>
        holder.namespace === namespace && !holder.isStalled && now - holder.since < TURN_MS,
    )
    const isProven = now - (this.#proven.get(change) ?? 0) < PROVEN_FOR_MS
    const isFirst = !others.some((other) => other.change === change)
    return (isProven || isFirst) && others.length < this.#limit
  }

  #stall(uid: string, holder: Holder): void {
    holder.isStalled = true
    this.#share.release(uid)
  }

  #prove(change: string, now: number): void {
    for (const [known, at] of this.#proven) {
      if (now - at >= PROVEN_FOR_MS) this.#proven.delete(known)
    }
    this.#proven.set(change, now)
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
      this.#prove(own.change, observed.now)
      this.release(uid)
    } else if (own && isStalled) this.#stall(uid, own)
    else if (own) own.isStalled = false
    else if (isStalled) this.#adopt(plan, observed, workloads)
  }

  /** A rollout that stalled under an earlier leader: its image is the change, if it was one for others. */
  #adopt(plan: FacilitatorPlan, observed: ObservedFacilitator, workloads: readonly Workload[]) {
    const { uid, namespace = '', name } = observed.facilitator.metadata
    const [rollout] = plan.rollouts
    const live = rollout && liveDeployment(observed, rollout)
    if (!live) return
    const wasServing = workloads.some(({ ready, updated }) => ready > 0 && updated > 0)
    const change = liveImageChange(observed, rollout, live)
    const since = observed.now
    this.#holders.set(uid, { change, namespace, name, since, wasServing, isStalled: true })
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
