import type { Facilitator } from '../../../crd/facilitator.ts'
import { controllerOf } from '../../../runtime/cache/owners.ts'
import { keyOf } from '../../../runtime/objects/resource.ts'
import type { AnyObject } from '../../../runtime/objects/well-known.ts'
import type { Blocker } from '../desired/blockers.ts'
import { desiredFacilitator } from '../desired/desired.ts'
import { lastKnownKeepers } from '../observe/keepers.ts'
import {
  type ObserveDeps,
  type ObservedFacilitator,
  observeFacilitator,
} from '../observe/observe.ts'
import { type PoolState, poolStates } from '../observe/pool-state.ts'
import {
  readStoreReports,
  type StoreReportDeps,
  type StoreReports,
} from '../observe/store-reports.ts'
import { type Workload, workloadOf } from '../observe/workload.ts'
import { type FacilitatorPlan, planFacilitator } from '../plan/plan.ts'
import type { RolloutSlots } from '../plan/rollout-slots.ts'
import { type Rendered, render } from '../render/render.ts'
import { nameOf } from '../spec/child-metadata.ts'
import { type Part, partsOf } from '../spec/parts.ts'
import { type ApplyDeps, applyPlan, type ChildFailure } from './apply.ts'
import { mayAdopt } from './foreign-objects.ts'

/** The observations, renderings, plans and results of one pass; conditions and status are computed from it. */
export interface FacilitatorResult extends StoreReports {
  readonly observed: ObservedFacilitator
  /** Undefined where there is a plan. */
  readonly blocker: Blocker | undefined
  readonly rendered: Rendered | undefined
  readonly plan: FacilitatorPlan | undefined
  readonly failures: readonly ChildFailure[]
  /** The parts of the spec, the facilitator first. */
  readonly parts: readonly PartState[]
  readonly pools: readonly PoolState[]
}

export interface PartState {
  readonly part: Part
  /** Name of its Deployment, and the object where it exists. */
  readonly deployment: string
  readonly live: AnyObject | undefined
  readonly workload: Workload
}

export interface ConvergeDeps {
  readonly observe: ObserveDeps
  readonly apply: ApplyDeps
  readonly slots: RolloutSlots
  readonly reports: StoreReportDeps
}

/** Observes, renders, plans, waits for its turn and applies, each once. Throws KubeErrors that concern no single child. */
export async function converge(
  facilitator: Facilitator,
  deps: ConvergeDeps,
  signal: AbortSignal,
): Promise<FacilitatorResult> {
  const observed = await observeFacilitator(facilitator, deps.observe, signal)
  const decided = decide(observed)
  if ('blocker' in decided) {
    deps.slots.block(facilitator)
    return resultOf(observed, decided)
  }
  const plan = deps.slots.admit(decided.plan, observed)
  const failures = await applyPlan(plan, observed, deps.apply, signal)
  const result = { ...decided, plan, failures }
  // Before the migration the table may not exist.
  if (plan.migration.state !== 'Succeeded') return resultOf(observed, result)
  const reports = await readStoreReports(observed, deps.reports, signal)
  return resultOf(observed, { ...result, ...reports })
}

/** Observes, renders and plans, and applies nothing. Throws KubeErrors. */
export async function inspect(
  facilitator: Facilitator,
  { observe }: Pick<ConvergeDeps, 'observe'>,
  signal: AbortSignal,
): Promise<FacilitatorResult> {
  const observed = await observeFacilitator(facilitator, observe, signal)
  return resultOf(observed, decide(observed))
}

type Decided =
  | { readonly blocker: Blocker }
  | { readonly rendered: Rendered; readonly plan: FacilitatorPlan }

function decide(observed: ObservedFacilitator): Decided {
  const decision = desiredFacilitator(observed)
  if ('blocker' in decision) return decision
  const rendered = render(decision.desired)
  return { rendered, plan: planFacilitator(observed, rendered) }
}

/** An object of the name that the operator leaves alone: its pods are not the Facilitator's. */
const isOfOthers = (object: AnyObject, owner: Facilitator): boolean => {
  const controller = controllerOf(object)
  return controller ? controller.uid !== owner.metadata.uid : !mayAdopt(object, owner)
}

/** Adds how the parts and the pools are now. */
export function resultOf(
  observed: ObservedFacilitator,
  {
    blocker,
    rendered,
    plan,
    failures = [],
    keepers = lastKnownKeepers(observed.facilitator),
    terms,
  }: Partial<Pick<FacilitatorResult, 'blocker' | 'rendered' | 'plan' | 'failures'> & StoreReports>,
): FacilitatorResult {
  const { facilitator } = observed
  const { namespace } = facilitator.metadata
  const parts = partsOf(facilitator).map((part) => {
    const deployment = nameOf(facilitator, part.component)
    const found = observed.find('Deployment', keyOf({ namespace, name: deployment }))
    const live = found && isOfOthers(found, facilitator) ? undefined : found
    return { part, deployment, live, workload: workloadOf(live) }
  })
  const pools = poolStates(observed)
  return { observed, blocker, rendered, plan, failures, parts, pools, keepers, terms }
}
