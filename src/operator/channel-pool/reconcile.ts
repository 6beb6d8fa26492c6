import type { ChannelPool, StoredChannelPool } from '../../api/channel-pool.ts'
import { effectiveChannelPool } from '../../api/effective.ts'
import { finalizer, isMarked } from '../../api/marks.ts'
import type { Reconcile, ReconcileRequest } from '../../kube/controller.ts'
import { addFinalizer } from '../../kube/finalizers.ts'
import { again, type Outcome, settled } from '../../kube/outcome.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import { isBeingDeleted } from '../../kube/resource.ts'
import type { ReadStore } from '../../kube/store.ts'
import { Fenced } from '../../store/pools/fence.ts'
import { LeadershipTooShort } from '../leadership.ts'
import { atGeneration } from '../report.ts'
import { failedConditions, isUnexpected, outcomeOfFailure } from '../unexpected-error.ts'
import { conditionsOf, conditionsOfBlocker } from './conditions.ts'
import { blockerOf } from './connect.ts'
import { converge, nextPassMs } from './converge.ts'
import { cleanUp, type DeletionDeps } from './deletion.ts'
import { type DesiredPool, desiredPool } from './desired.ts'
import { takeSponsor } from './ownership.ts'
import { statusOf } from './status.ts'

export interface ReconcileDeps extends DeletionDeps {
  readonly pools: ReadStore<StoredChannelPool>
  /** What this process wrote: the next status is computed from the last one, which the cache may lack yet. */
  readonly ownWrites: OwnWrites
}

/** No watched object changes when settlements start to wait for channels. */
const AUTOSCALE_INTERVAL_MS = 30_000
const RETRY_AFTER_RENEWAL_MS = 1_000

/** One pass over one ChannelPool: pause, maintain or clean up. */
export function createReconcile(deps: ReconcileDeps): Reconcile {
  return async (request) => {
    const cached = deps.pools.get(request.key)
    if (!cached) return settled
    const pool = effectiveChannelPool(deps.ownWrites.over(cached))
    if (isMarked(pool, 'paused')) return reportPause(deps, pool, request)
    try {
      return isBeingDeleted(pool)
        ? await cleanUp(deps, pool, request)
        : await maintain(deps, pool, request)
    } catch (error) {
      return handleError(deps, pool, error, request)
    }
  }
}

/** `observedGeneration` stays: the operator has not acted on the present spec. */
async function reportPause(
  { report }: ReconcileDeps,
  pool: ChannelPool,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const message = 'The annotation x402.svc.dev/paused is true: the operator changes nothing.'
  const progressing = { type: 'Progressing', status: 'Unknown', reason: 'Paused', message } as const
  await report(pool, [progressing], { ...pool.status }, signal)
  return settled
}

async function maintain(
  deps: ReconcileDeps,
  pool: ChannelPool,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const { client, type, connectDeps, connect, report, clock } = deps
  const connected = await connect(pool, signal)
  await takeSponsor(pool, connected)
  const withFinalizer = await addFinalizer({ client, type, live: pool, finalizer, signal })
  if (withFinalizer !== pool) deps.ownWrites.note(withFinalizer)
  const desired = await desiredPool(pool, connected, clock.now())
  const { leadership } = connectDeps
  const options = { spec: pool.spec, connected, leadership, clock, signal }
  const result = await converge({ ...options, desired: desired.channels })
  const status = { ...pool.status, ...clearedFields, ...statusOf(result, pool.status, clock.now()) }
  const newStatus = atGeneration(pool, { ...status, ...autoscaleOf(desired) })
  await report(pool, conditionsOf(result), newStatus, signal)
  const afterMs = nextPassMs(result) ?? (pool.spec.autoscale ? AUTOSCALE_INTERVAL_MS : undefined)
  return afterMs === undefined ? settled : again(afterMs, result.applied.kind)
}

/** Fields that are removed unless this pass sets them. */
const clearedFields = { quarantined: undefined, autoscale: undefined, deletion: undefined }
const autoscaleOf = ({ autoscale }: DesiredPool) => autoscale && { autoscale }

async function handleError(
  { report, connectDeps }: ReconcileDeps,
  pool: ChannelPool,
  error: unknown,
  { signal, logger }: ReconcileRequest,
): Promise<Outcome> {
  if (error instanceof LeadershipTooShort) return again(RETRY_AFTER_RENEWAL_MS, error.message)
  if (error instanceof Fenced) {
    connectDeps.leadership.onFenced(error)
    throw error
  }
  const blocker = blockerOf(error, pool.spec)
  if (!blocker && isUnexpected(error, signal)) {
    const status = atGeneration(pool, pool.status)
    await report(pool, failedConditions('ChannelPool', error), status, signal)
    const outcome = outcomeOfFailure(pool, error)
    logger.error({ err: error }, 'The pass failed again')
    return outcome
  }
  if (!blocker || signal.aborted) throw error
  await report(pool, conditionsOfBlocker(blocker), atGeneration(pool, pool.status), signal)
  return again(blocker.meaning.retryMs, blocker.message)
}
