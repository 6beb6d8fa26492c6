import type { SteadyClock } from '../../../../platform/core/time/clock.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { type Key, keyOf } from '../../../runtime/objects/resource.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import { isRolledOut, type Workload, workloadOf } from '../observe/workload.ts'
import { FairShare } from './fair-share.ts'
import { HeldRollouts } from './held-rollouts.ts'
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
  /** The Secrets and pools that the change may have come from; undefined when it is of the image or the pods. */
  readonly sources: ReadonlySet<string> | undefined
  /** Its pods served before: a stall is the fault of the change. */
  readonly wasServing: boolean
  isStalled: boolean
}

export interface RolloutSlotsOptions {
  /** Whether the Facilitator still exists: a pass may end after its deletion. */
  readonly exists: (facilitator: Facilitator) => boolean
  readonly clock: Pick<SteadyClock, 'monotonic'>
  /** Called with each Facilitator that may go on when another one is done, fails or gives up its slot. */
  readonly wake?: (key: Key) => void
  /** How many roll out at once: in a namespace, and of a new version of the operator in all. @default 5 */
  readonly limit?: number
}

/**
 * Limits how many Facilitators roll out at once after a change that is not in their spec, such as a new image of the
 * operator or a shared Secret. In a namespace one goes first, then five at a time. When a rollout stalls that began with
 * pods that served, or its migration or preflight fails, the others of the namespace with the same change wait until it is
 * complete, or the change is another one. Changes of settings are the same where the Facilitators share a Secret or a pool.
 * Nothing that a namespace does holds another one, except that a new version of the operator reaches five Facilitators of
 * all namespaces at a time, by `FairShare`. A rollout of a new spec never waits. It lives in the memory of the leader: the
 * next one finds the rollouts that have stalled by their Deployments, and those that had begun by their Jobs.
 */
export class RolloutSlots {
  readonly #holders = new Map<string, Holder>()
  /** Changes that a Facilitator has completed, and when the last one did, in Unix ms. */
  readonly #proven = new Map<string, number>()
  /** Changes that came with a new spec, by uid; undefined while something keeps the operator from rendering it. */
  readonly #ofSpec = new Map<string, string | undefined>()
  readonly #exists: RolloutSlotsOptions['exists']
  readonly #held: HeldRollouts
  readonly #limit: number
  readonly #share: FairShare

  constructor({
    exists,
    clock,
    limit = MAX_ROLLOUTS,
    wake = () => undefined,
  }: RolloutSlotsOptions) {
    this.#exists = exists
    this.#limit = limit
    this.#share = new FairShare(limit)
    this.#held = new HeldRollouts({ share: this.#share, clock, wake })
  }

  /** The plan, without its Jobs and rollouts when it has to wait. */
  admit(plan: FacilitatorPlan, observed: ObservedFacilitator): FacilitatorPlan {
    const { facilitator, now } = observed
    const { uid, namespace = '', name } = facilitator.metadata
    this.#held.delete(uid)
    const hold = (by: Pick<FacilitatorPlan, 'heldBy'>, waitsForPlace = false): FacilitatorPlan => {
      this.#held.add({ uid, key: keyOf(facilitator.metadata), namespace, waitsForPlace })
      return held(plan, by)
    }
    if (!this.#exists(facilitator)) {
      this.forget(uid)
      return held(plan, {})
    }
    const [replacing] = plan.replacing
    if (!replacing) {
      this.#ofSpec.delete(uid)
      this.#follow(plan, observed)
      return plan
    }
    const change = changeOf(observed, replacing)
    if (isNewSpec(facilitator) || this.#isOfSpec(uid, change.id)) {
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
    const wasServing = workloadsOf(plan, observed).some(({ ready }) => ready > 0)
    const { id, sources } = change
    const holder = {
      change: id,
      sources,
      namespace,
      name,
      since: now,
      wasServing,
      isStalled: false,
    }
    if (hasBegun(plan)) this.#share.take(uid, namespace, now)
    else {
      const heldBy = this.#others(holder).find((each) => each.isStalled && each.wasServing)
      if (heldBy) return hold({ heldBy: heldBy.name })
      if (!this.#isFree(holder)) return hold({})
      if (change.isOfOperator && !this.#share.take(uid, namespace, now)) return hold({}, true)
    }
    this.#holders.set(uid, holder)
    if (hasFailed(plan)) this.#stall(uid, holder)
    return plan
  }

  /** Frees the slot of a Facilitator that the operator does not roll out now: it is paused or blocked. */
  release(uid: string): void {
    const holder = this.#holders.get(uid)
    this.#held.delete(uid)
    this.#holders.delete(uid)
    this.#share.release(uid)
    if (holder) this.#held.wakeAfter(holder.namespace)
  }

  /** Frees the slot of a Facilitator whose spec cannot be rendered yet. Once it can, a change of the spec waits for no other. */
  block(facilitator: Facilitator): void {
    const { uid } = facilitator.metadata
    this.release(uid)
    if (isNewSpec(facilitator)) this.#ofSpec.set(uid, undefined)
  }

  /** Forgets a Facilitator that is being deleted, or gone. */
  forget(uid: string): void {
    this.release(uid)
    this.#ofSpec.delete(uid)
  }

  #isOfSpec(uid: string, change: string): boolean {
    if (!this.#ofSpec.has(uid)) return false
    const known = this.#ofSpec.get(uid)
    return known === undefined || known === change
  }

  /** The Facilitators that roll out the same change. */
  #others({ change, sources }: Holder): readonly Holder[] {
    return [...this.#holders.values()].filter(
      (other) =>
        other.change === change &&
        (!sources || [...sources].some((each) => other.sources?.has(each) ?? true)),
    )
  }

  /** Whether the rollouts of its namespace leave it room. */
  #isFree(holder: Holder): boolean {
    const { change, namespace, since: now } = holder
    const isUnderWay = (other: Holder) => !other.isStalled && now - other.since < TURN_MS
    const underWay = [...this.#holders.values()].filter(
      (other) => other.namespace === namespace && isUnderWay(other),
    )
    const isProven = now - (this.#proven.get(change) ?? 0) < PROVEN_FOR_MS
    const isFirst = !this.#others(holder).some(isUnderWay)
    return (isProven || isFirst) && underWay.length < this.#limit
  }

  #stall(uid: string, holder: Holder): void {
    const isNews = !holder.isStalled
    holder.isStalled = true
    this.#share.release(uid)
    if (isNews) this.#held.wakeAfter(holder.namespace)
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
    const sources = undefined
    this.#holders.set(uid, { change, sources, namespace, name, since, wasServing, isStalled: true })
  }
}

const isNewSpec = ({ status, metadata }: Facilitator): boolean =>
  status?.observedGeneration !== metadata.generation

/** Its Jobs run: an earlier leader has let it begin. */
const hasBegun = ({ migration, preflight }: FacilitatorPlan): boolean =>
  migration.state === 'Running' || preflight?.result.state === 'Running'

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
