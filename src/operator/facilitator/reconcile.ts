import type { Facilitator } from '../../api/facilitator.ts'
import { type FacilitatorCondition, facilitatorReasons } from '../../api/facilitator-conditions.ts'
import { isMarked } from '../../api/marks.ts'
import type { Reconcile, ReconcileRequest } from '../../kube/controller.ts'
import { isKubeError } from '../../kube/kube-error.ts'
import { again, type Outcome, resultOfError, settled, stuck } from '../../kube/outcome.ts'
import { isBeingDeleted } from '../../kube/resource.ts'
import type { ReadStore } from '../../kube/store.ts'
import { atGeneration, type Report } from '../report.ts'
import { conditionsOf } from './conditions.ts'
import { type ConvergeDeps, converge, type FacilitatorResult } from './converge.ts'
import { keeperEvents } from './keeper-events.ts'
import { statusOf } from './status.ts'

export interface ReconcileDeps extends ConvergeDeps {
  readonly facilitators: ReadStore<Facilitator>
  readonly report: Report<Facilitator, FacilitatorCondition>
}

const READ_SECRETS_INTERVAL_MS = 30_000
/** Other Facilitators may have finished their rollouts by then. */
const RETRY_ROLLOUT_MS = 2_000
/** An administrator may have granted the permission by then. */
const RETRY_FORBIDDEN_MS = 60_000

/** No watched object changes when a keeper acts, which it does every few weeks. */
const READ_KEEPERS_INTERVAL_MS = 60_000

/** One pass over one Facilitator: pause, maintain or report its deletion. */
export function createReconcile(deps: ReconcileDeps): Reconcile {
  return async (request) => {
    const facilitator = deps.facilitators.get(request.key)
    if (!facilitator) return settled
    if (isBeingDeleted(facilitator)) return reportDeletion(deps, facilitator, request)
    if (isMarked(facilitator, 'paused')) return reportPause(deps, facilitator, request)
    try {
      return await maintain(deps, facilitator, request)
    } catch (error) {
      return handleError(deps, facilitator, error, request)
    }
  }
}

/** The garbage collector of the cluster deletes the children. */
async function reportDeletion(
  { report, slots }: ReconcileDeps,
  facilitator: Facilitator,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  slots.release(facilitator.metadata.uid)
  const message = 'The Facilitator and all its objects are being deleted.'
  const deleting = { reason: 'Deleting', message } as const
  const conditions = [
    { type: 'Ready', status: 'False', ...deleting },
    { type: 'Progressing', status: 'True', ...deleting },
  ] as const
  await report(facilitator, conditions, atGeneration(facilitator, facilitator.status), signal)
  return settled
}

async function reportPause(
  { report }: ReconcileDeps,
  facilitator: Facilitator,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const message = 'The annotation x402.svc.dev/paused is true: the operator changes nothing.'
  const paused = { type: 'Progressing', status: 'Unknown', reason: 'Paused', message } as const
  await report(facilitator, [paused], atGeneration(facilitator, facilitator.status), signal)
  return settled
}

async function maintain(
  deps: ReconcileDeps,
  facilitator: Facilitator,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const result = await converge(facilitator, deps, signal)
  const status = atGeneration(facilitator, statusOf(result))
  await deps.report(facilitator, conditionsOf(result), status, signal, keeperEvents(result))
  return outcomeOf(result)
}

function outcomeOf({ observed, blocker, plan, failures }: FacilitatorResult): Outcome {
  const [failure] = failures
  const waits = [
    ...(observed.hasUnwatchedSecrets ? [READ_SECRETS_INTERVAL_MS] : []),
    ...(observed.facilitator.spec.networks.some(({ upto }) => upto)
      ? [READ_KEEPERS_INTERVAL_MS]
      : []),
    ...(plan?.isHeld ? [RETRY_ROLLOUT_MS] : []),
    ...(failures.some(({ reason }) => reason === 'Forbidden') ? [RETRY_FORBIDDEN_MS] : []),
    ...(plan?.retryMs === undefined ? [] : [Math.max(plan.retryMs, 1_000)]),
  ]
  const because = blocker ?? failure
  if (waits.length > 0) return again(Math.min(...waits), because?.reason ?? 'periodic')
  return because ? stuck(because.reason, because.message) : settled
}

/** Reports an error that needs an administrator; the controller retries every other one. */
async function handleError(
  { report }: ReconcileDeps,
  facilitator: Facilitator,
  error: unknown,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const isForbidden = isKubeError(error, 'forbidden')
  const isPanic = resultOfError(error) === 'panic'
  if (signal.aborted || (!isForbidden && !isPanic)) throw error
  const cause = isForbidden
    ? ({
        reason: 'Forbidden',
        message: `The operator lacks a permission: ${error.message}`,
      } as const)
    : ({ reason: 'Failed', message: facilitatorReasons.Failed } as const)
  const conditions = [
    { type: 'Progressing', status: 'False', ...cause },
    { type: 'Degraded', status: 'True', ...cause },
  ] as const
  await report(facilitator, conditions, atGeneration(facilitator, facilitator.status), signal)
  if (isPanic) throw error
  return again(RETRY_FORBIDDEN_MS, cause.message)
}
