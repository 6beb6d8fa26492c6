import type { Facilitator } from '../../api/facilitator.ts'
import { facilitatorReasons } from '../../api/facilitator-conditions.ts'
import { isMarked } from '../../api/marks.ts'
import type { Reconcile, ReconcileRequest } from '../../kube/controller.ts'
import { isKubeError } from '../../kube/kube-error.ts'
import { again, type Outcome, resultOfError, settled, stuck } from '../../kube/outcome.ts'
import { isBeingDeleted, keyOf } from '../../kube/resource.ts'
import type { ReadStore } from '../../kube/store.ts'
import { type Blocker, blockerOf } from './blockers.ts'
import { carryOut, type Hands } from './carry-out.ts'
import { type FactSources, gather } from './facts.ts'
import { figuresOf } from './figures.ts'
import { judgeFacilitator } from './judge.ts'
import { partsOf } from './parts.ts'
import { planFacilitator } from './plan.ts'
import { nameOf } from './render/common.ts'
import type { Report } from './report.ts'
import type { RolloutSlots } from './rollout-slots.ts'
import type { Seen } from './seen.ts'
import { seenPools } from './seen-pools.ts'
import type { FacilitatorView } from './view.ts'
import type { Wanted } from './wanted.ts'
import { workloadOf } from './workload.ts'

export interface FacilitatorParts {
  readonly facilitators: ReadStore<Facilitator>
  readonly sources: FactSources
  readonly hands: Hands
  readonly slots: RolloutSlots
  readonly report: Report
}

/** Secrets that nobody watches are read again. */
const READ_SECRETS_MS = 30_000
/** Others may have been rolled out by then. */
const HELD_AGAIN_MS = 2_000
/** What was forbidden may have been granted. */
const FORBIDDEN_AGAIN_MS = 60_000

/** One Facilitator, whole: from its resource and what is in the caches to what it shall be. */
export function createReconcile(parts: FacilitatorParts): Reconcile {
  return async (request) => {
    const facilitator = parts.facilitators.get(request.key)
    if (!facilitator) return settled
    if (isBeingDeleted(facilitator)) return tellDeletion(parts, facilitator, request)
    if (isMarked(facilitator, 'paused')) return pause(parts, facilitator, request)
    try {
      return await maintain(parts, facilitator, request)
    } catch (error) {
      return endOf(parts, facilitator, error, request)
    }
  }
}

/** Tells what only a person can mend; what passes by itself is tried again. */
async function endOf(
  { report }: FacilitatorParts,
  facilitator: Facilitator,
  error: unknown,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const isForbidden = isKubeError(error, 'forbidden')
  const isPanic = resultOfError(error) === 'panic'
  if (signal.aborted || (!isForbidden && !isPanic)) throw error
  const told = isForbidden
    ? ({ reason: 'Forbidden', message: `The operator lacks a right: ${error.message}` } as const)
    : ({ reason: 'Failed', message: facilitatorReasons.Failed } as const)
  const conditions = [
    { type: 'Progressing', status: 'False', ...told },
    { type: 'Degraded', status: 'True', ...told },
  ] as const
  await report(facilitator, conditions, undefined, signal)
  if (isPanic) throw error
  return again(FORBIDDEN_AGAIN_MS, told.message)
}

/** What it owns goes with it: there is nothing to do. */
async function tellDeletion(
  { report, slots }: FacilitatorParts,
  facilitator: Facilitator,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  slots.release(facilitator.metadata.uid)
  const message = 'The Facilitator is being deleted, and everything it is made of with it.'
  const deleting = { reason: 'Deleting', message } as const
  const conditions = [
    { type: 'Ready', status: 'False', ...deleting },
    { type: 'Progressing', status: 'True', ...deleting },
  ] as const
  await report(facilitator, conditions, undefined, signal)
  return settled
}

async function pause(
  { report }: FacilitatorParts,
  facilitator: Facilitator,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const message = 'The annotation x402.svc.dev/paused is true: the operator changes nothing.'
  const paused = { type: 'Progressing', status: 'Unknown', reason: 'Paused', message } as const
  await report(facilitator, [paused], undefined, signal)
  return settled
}

async function maintain(
  { sources, hands, slots, report }: FacilitatorParts,
  facilitator: Facilitator,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const { view, mayChangeUnheard } = await gather(facilitator, sources, signal)
  const wanted = wantedOf(view)
  const seen =
    'stopsPayments' in wanted
      ? seenOf(view, { blocker: wanted })
      : await workOn(view, wanted, { hands, slots }, signal)
  await report(facilitator, judgeFacilitator(seen), figuresOf(seen), signal)
  return outcomeOf(seen, mayChangeUnheard)
}

/** Everything that is needed to render children, or the first thing that is in the way. */
function wantedOf(view: FacilitatorView): Wanted | Blocker {
  const blocker = blockerOf(view)
  if (blocker) return blocker
  const { facilitator, pools, image, secrets } = view
  if (!image) throw new TypeError('an image is missing and nothing says so')
  const networks = facilitator.spec.networks.flatMap((settings) => {
    const pool = pools.get(settings.channelPool)
    return pool ? [{ settings, pool }] : []
  })
  return { facilitator, networks, image, secrets }
}

async function workOn(
  view: FacilitatorView,
  wanted: Wanted,
  { hands, slots }: Pick<FacilitatorParts, 'hands' | 'slots'>,
  signal: AbortSignal,
): Promise<Seen> {
  const plan = slots.admit(planFacilitator(view, wanted), view)
  const troubles = await carryOut(plan, view, hands, signal)
  return seenOf(view, { plan, troubles })
}

function seenOf(
  view: FacilitatorView,
  { blocker, plan, troubles = [] }: Partial<Pick<Seen, 'blocker' | 'plan' | 'troubles'>>,
): Seen {
  const { facilitator } = view
  const { namespace } = facilitator.metadata
  const parts = partsOf(facilitator).map((part) => {
    const deployment = nameOf(facilitator, part.component)
    const live = view.find('Deployment', keyOf({ namespace, name: deployment }))
    return { part, deployment, workload: workloadOf(live) }
  })
  return { view, blocker, plan, troubles, parts, pools: seenPools(view) }
}

function outcomeOf({ blocker, plan, troubles }: Seen, mayChangeUnheard: boolean): Outcome {
  const [trouble] = troubles
  const waits = [
    ...(mayChangeUnheard ? [READ_SECRETS_MS] : []),
    ...(plan?.isHeld ? [HELD_AGAIN_MS] : []),
    ...(troubles.some(({ reason }) => reason === 'Forbidden') ? [FORBIDDEN_AGAIN_MS] : []),
    ...(plan?.retryMs === undefined ? [] : [Math.max(plan.retryMs, 1_000)]),
  ]
  const because = blocker ?? trouble
  if (waits.length > 0) return again(Math.min(...waits), because?.reason ?? 'looking again')
  return because ? stuck(because.reason, because.message) : settled
}
