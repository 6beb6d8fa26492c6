import type { Facilitator } from '../../../crd/facilitator.ts'
import { keyOf } from '../../../runtime/objects/resource.ts'
import type { Blocker } from '../desired/blockers.ts'
import { desiredFacilitator } from '../desired/desired.ts'
import { type KeeperDeps, type Keepers, lastKnownKeepers, readKeepers } from '../observe/keepers.ts'
import {
  type ObserveDeps,
  type ObservedFacilitator,
  observeFacilitator,
} from '../observe/observe.ts'
import { type PoolState, poolStates } from '../observe/pool-state.ts'
import { type Workload, workloadOf } from '../observe/workload.ts'
import { type FacilitatorPlan, planFacilitator } from '../plan/plan.ts'
import type { RolloutSlots } from '../plan/rollout-slots.ts'
import { nameOf } from '../spec/child-metadata.ts'
import { type Part, partsOf } from '../spec/parts.ts'
import { type ApplyDeps, applyPlan, type ChildFailure } from './apply.ts'

/** What one pass observed, planned and applied; conditions and status are computed from it. */
export interface FacilitatorResult {
  readonly observed: ObservedFacilitator
  /** Undefined where there is a plan. */
  readonly blocker: Blocker | undefined
  readonly plan: FacilitatorPlan | undefined
  readonly failures: readonly ChildFailure[]
  /** The parts of the spec, the facilitator first. */
  readonly parts: readonly PartState[]
  readonly pools: readonly PoolState[]
  readonly keepers: Keepers
}

export interface PartState {
  readonly part: Part
  readonly deployment: string
  readonly workload: Workload
}

export interface ConvergeDeps {
  readonly observe: ObserveDeps
  readonly apply: ApplyDeps
  readonly slots: RolloutSlots
  readonly keepers: KeeperDeps
}

/** Observes, plans and applies once. Throws KubeErrors that concern no single child. */
export async function converge(
  facilitator: Facilitator,
  deps: ConvergeDeps,
  signal: AbortSignal,
): Promise<FacilitatorResult> {
  const observed = await observeFacilitator(facilitator, deps.observe, signal)
  const decision = desiredFacilitator(observed)
  if ('blocker' in decision) {
    deps.slots.release(facilitator.metadata.uid)
    return resultOf(observed, { blocker: decision.blocker })
  }
  const plan = deps.slots.admit(planFacilitator(observed, decision.desired), observed)
  const failures = await applyPlan(plan, observed, deps.apply, signal)
  // Before the migration the table may not exist.
  if (plan.migration.state !== 'Succeeded') return resultOf(observed, { plan, failures })
  const keepers = await readKeepers(observed, deps.keepers, signal)
  return resultOf(observed, { plan, failures, keepers })
}

/** Observes and plans, and applies nothing. Throws KubeErrors. */
export async function inspect(
  facilitator: Facilitator,
  { observe }: Pick<ConvergeDeps, 'observe'>,
  signal: AbortSignal,
): Promise<FacilitatorResult> {
  const observed = await observeFacilitator(facilitator, observe, signal)
  const decision = desiredFacilitator(observed)
  return resultOf(
    observed,
    'blocker' in decision
      ? { blocker: decision.blocker }
      : { plan: planFacilitator(observed, decision.desired) },
  )
}

/** Adds how the parts and the pools are now. */
export function resultOf(
  observed: ObservedFacilitator,
  {
    blocker,
    plan,
    failures = [],
    keepers = lastKnownKeepers(observed.facilitator),
  }: Partial<Pick<FacilitatorResult, 'blocker' | 'plan' | 'failures' | 'keepers'>>,
): FacilitatorResult {
  const { facilitator } = observed
  const { namespace } = facilitator.metadata
  const parts = partsOf(facilitator).map((part) => {
    const deployment = nameOf(facilitator, part.component)
    const live = observed.find('Deployment', keyOf({ namespace, name: deployment }))
    return { part, deployment, workload: workloadOf(live) }
  })
  return { observed, blocker, plan, failures, parts, pools: poolStates(observed), keepers }
}
