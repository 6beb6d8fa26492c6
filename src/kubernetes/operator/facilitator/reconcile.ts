import type { FacilitatorCondition } from '../../crd/facilitator/conditions.ts'
import type { Facilitator } from '../../crd/facilitator.ts'
import { isMarked } from '../../crd/names/marks.ts'
import type { OwnWrites } from '../../runtime/cache/own-writes.ts'
import type { ReadStore } from '../../runtime/cache/store.ts'
import { isKubeError } from '../../runtime/client/kube-error.ts'
import type { Reconcile, ReconcileRequest } from '../../runtime/controller/controller.ts'
import { again, type Outcome, settled, stuck } from '../../runtime/controller/outcome.ts'
import { isBeingDeleted, type Key } from '../../runtime/objects/resource.ts'
import { jittered } from '../../runtime/time/backoff.ts'
import { atGeneration, type Report } from '../reporting/report.ts'
import {
  failedConditions,
  isUnexpected,
  outcomeOfFailure,
  stoppedConditions,
} from '../reporting/unexpected-error.ts'
import { isReduced } from '../watches/bounded.ts'
import { SPEC_LIMIT } from '../watches/lean.ts'
import {
  type ConvergeDeps,
  converge,
  type FacilitatorResult,
  inspect,
} from './converge/converge.ts'
import { LOOK_AGAIN_MS } from './converge/foreign-objects.ts'
import { conditionsOf, pausedConditions } from './status/conditions/conditions.ts'
import { keeperEvents } from './status/keeper-events.ts'
import { statusOf } from './status/status.ts'

export interface ReconcileDeps extends ConvergeDeps {
  readonly facilitators: ReadStore<Facilitator>
  readonly report: Report<Facilitator, FacilitatorCondition>
  /** The status that this process wrote: the next status is computed from the last one, which the cache may lack yet. */
  readonly ownWrites: OwnWrites
  readonly random: () => number
}

/** How often the Secrets are read that no watch reports. */
const READ_SECRETS_INTERVAL_MS = 300_000
/** How often they are read while one is missing or wrong: an administrator is about to correct it. */
const READ_WRONG_SECRETS_INTERVAL_MS = 30_000
/** The end of another rollout wakes a Facilitator that waits for it; nothing reports that one has taken too long. */
const RETRY_ROLLOUT_MS = 10_000
/** An administrator may have granted the permission by then, or changed the policy that refuses an object: no watch reports that. */
const RETRY_REFUSED_MS = 60_000
const retried: ReadonlySet<string> = new Set(['Forbidden', 'ChildRejected'])

/** No watched object changes when a keeper acts, which it does every few weeks. */
const READ_KEEPERS_INTERVAL_MS = 60_000
/** Nor when new pods have tried their terms; pods of an earlier version never do. */
const READ_FIRST_TERMS_INTERVAL_MS = 60_000
/** They try them again every ten minutes. */
const READ_TERMS_INTERVAL_MS = 600_000

/** One pass over one Facilitator: pause, maintain or report its deletion. */
export function createReconcile(deps: ReconcileDeps): Reconcile {
  /** The uid of the Facilitator that the last pass was about: another one may have its name by now. */
  const lastUids = new Map<Key, string>()
  return async (request) => {
    const { key } = request
    const cached = deps.facilitators.get(key)
    const uid = cached?.metadata.uid
    const before = lastUids.get(key)
    if (uid === undefined) lastUids.delete(key)
    else lastUids.set(key, uid)
    if (before !== undefined && before !== uid) await forget(deps, before, request)
    if (!cached) return settled
    const facilitator = deps.ownWrites.over(cached)
    if (isBeingDeleted(facilitator)) return reportDeletion(deps, facilitator, request)
    try {
      if (isReduced(facilitator)) return await reportTooLarge(deps, facilitator, request)
      return isMarked(facilitator, 'paused')
        ? await reportPause(deps, facilitator, request)
        : await maintain(deps, facilitator, request)
    } catch (error) {
      return handleError(deps, facilitator, error, request)
    }
  }
}

/** Frees what a Facilitator held that is gone. No pass over it runs any more, which could take them again. */
async function forget(
  { slots, reports }: ReconcileDeps,
  uid: string,
  { logger }: ReconcileRequest,
): Promise<void> {
  slots.forget(uid)
  try {
    await reports.stores.release(uid)
  } catch (error) {
    logger.warn({ err: error }, 'Could not close the database of a deleted Facilitator')
  }
}

/** The garbage collector of the cluster deletes the children. Reads nothing of the spec, which may be the fault. */
async function reportDeletion(
  { report, slots }: ReconcileDeps,
  facilitator: Facilitator,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  slots.forget(facilitator.metadata.uid)
  const message = 'The Facilitator and all its objects are being deleted.'
  const deleting = { reason: 'Deleting', message } as const
  const conditions = [
    { type: 'Ready', status: 'False', ...deleting },
    { type: 'Progressing', status: 'True', ...deleting },
    {
      type: 'Degraded',
      status: 'False',
      reason: 'Deleting',
      message: 'Nothing is in the way of the deletion.',
    },
  ] as const
  await report(facilitator, conditions, atGeneration(facilitator, facilitator.status), signal)
  return settled
}

/**
 * The cache lacks the spec. Every object stays as it is, and the other conditions keep the last observation. What pods mount is not
 * observed, so that no rotation goes on.
 */
async function reportTooLarge(
  { report, slots }: ReconcileDeps,
  facilitator: Facilitator,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  slots.block(facilitator)
  const { characters, values } = SPEC_LIMIT
  const message = `The spec has more than ${characters} characters of JSON, ${values} values or 64 levels, so the operator does not hold it and leaves every object as it is: shorten it, most likely spec.podTemplate; a ConfigMap that pods mount may have long values.`
  const reason = 'SpecTooLarge'
  const conditions = [
    { type: 'Ready', status: 'Unknown', reason, message },
    ...stoppedConditions(reason, message),
  ] as const
  const status = { ...facilitator.status, sponsors: undefined }
  await report(facilitator, conditions, atGeneration(facilitator, status), signal)
  return stuck(reason, message)
}

/** `observedGeneration` stays: the operator has not acted on the present spec. It goes on to observe. */
async function reportPause(
  deps: ReconcileDeps,
  facilitator: Facilitator,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  deps.slots.release(facilitator.metadata.uid)
  const result = await inspect(facilitator, deps, signal)
  const { observedGeneration, migration } = facilitator.status ?? {}
  const status = { ...statusOf(result), observedGeneration, migration }
  await deps.report(facilitator, pausedConditions(conditionsOf(result)), status, signal)
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
  return outcomeOf(result, deps.random)
}

function outcomeOf(
  { observed, blocker, plan, failures, terms }: FacilitatorResult,
  random: () => number,
): Outcome {
  const [failure] = failures
  const waits = [
    ...(observed.hasUnwatchedSecrets
      ? [blocker ? READ_WRONG_SECRETS_INTERVAL_MS : jittered(READ_SECRETS_INTERVAL_MS, 0.1, random)]
      : []),
    ...(observed.facilitator.spec.networks.some(({ upto }) => upto)
      ? [READ_KEEPERS_INTERVAL_MS]
      : []),
    ...(observed.servingPods.length > 0 && terms
      ? [
          terms.length > 0
            ? jittered(READ_TERMS_INTERVAL_MS, 0.1, random)
            : READ_FIRST_TERMS_INTERVAL_MS,
        ]
      : []),
    ...(plan?.isHeld ? [RETRY_ROLLOUT_MS] : []),
    ...(failures.some(({ reason }) => retried.has(reason)) ? [RETRY_REFUSED_MS] : []),
    ...(failures.some(({ reason }) => reason === 'ChildNotOurs') ? [LOOK_AGAIN_MS] : []),
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
  { signal, logger }: ReconcileRequest,
): Promise<Outcome> {
  const status = atGeneration(facilitator, facilitator.status)
  if (isUnexpected(error, signal)) {
    await report(facilitator, failedConditions('Facilitator', error), status, signal)
    const outcome = outcomeOfFailure(facilitator, error)
    logger.error({ err: error }, 'The pass failed again')
    return outcome
  }
  if (signal.aborted || !isKubeError(error, 'forbidden')) throw error
  const message = `The operator lacks a permission: ${error.message}`
  await report(facilitator, stoppedConditions('Forbidden', message), status, signal)
  return again(RETRY_REFUSED_MS, message)
}
