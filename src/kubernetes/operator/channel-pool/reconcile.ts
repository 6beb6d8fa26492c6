import type { ChannelPoolCondition } from '../../crd/channel-pool/conditions.ts'
import type { ChannelPool } from '../../crd/channel-pool.ts'
import { annotations, finalizer, isMarked } from '../../crd/names/marks.ts'
import { addFinalizer, removeFinalizer } from '../../runtime/apply/finalizers.ts'
import type { OwnWrites } from '../../runtime/cache/own-writes.ts'
import type { ReadStore } from '../../runtime/cache/store.ts'
import type { Reconcile, ReconcileRequest } from '../../runtime/controller/controller.ts'
import { again, type Outcome, settled } from '../../runtime/controller/outcome.ts'
import { isBeingDeleted, type KubeObject } from '../../runtime/objects/resource.ts'
import { poolUsers } from '../references/pool-users.ts'
import { isUnderWay, type Rotation, sponsorInUse } from '../references/rotation-state.ts'
import { channelSecretOf } from '../references/sponsor-source.ts'
import { atGeneration, PAUSED } from '../reporting/report.ts'
import { isUnexpected, outcomeOfFailure } from '../reporting/unexpected-error.ts'
import { LeadershipTooShort } from '../store-access/leadership.ts'
import { blockerOf, type Connector } from './connect/connect.ts'
import type { KnownPools } from './connect/known-pools.ts'
import { takeSponsor } from './connect/ownership.ts'
import type { WaitingPools } from './connect/waiting-pools.ts'
import { converge, nextPassMs, type PoolResult } from './converge/converge.ts'
import { type DesiredPool, desiredPool } from './converge/desired.ts'
import { keptTakeOver, type TakeOver, takenOver } from './converge/mark.ts'
import { cleanUp, type DeletionDeps, needsNoCleanup } from './deletion/deletion.ts'
import { blockedConditions } from './deletion/deletion-progress.ts'
import { failureConditions } from './failure.ts'
import { beginning, sponsorAfter } from './rotation/begin.ts'
import { freeSecret, holdChannelSecret } from './rotation/hold-secrets.ts'
import { rotatingConditions, rotationEvents } from './rotation/overlay.ts'
import { rotationPass } from './rotation/pass.ts'
import { conditionsOf, conditionsOfBlocker, isFunded } from './status/conditions.ts'
import { statusOf } from './status/status.ts'
import type { StatusPace } from './status/status-pace.ts'

export interface ReconcileDeps extends DeletionDeps {
  readonly pools: ReadStore<ChannelPool>
  /** The status that this process wrote: the next status is computed from the last one, which the cache may lack yet. */
  readonly ownWrites: OwnWrites
  readonly known: KnownPools
  readonly waiting: WaitingPools
  readonly dependenciesOf: Connector['dependenciesOf']
  readonly pace: StatusPace
  readonly addressOf: Connector['addressOf']
  /** Secrets of a namespace that a rotation held whose pool is gone: someone removed the finalizers of the pool by hand. */
  readonly forgottenSecrets: (namespace: string) => readonly KubeObject[]
}

/** No watched object changes when settlements start to wait for channels. */
const AUTOSCALE_INTERVAL_MS = 30_000
const RETRY_AFTER_RENEWAL_MS = 1_000
const ROTATION_INTERVAL_MS = 2_000
const RETRY_BLOCKED_MS = 10_000

/** One pass over one ChannelPool: pause, maintain or clean up. */
export function createReconcile(deps: ReconcileDeps): Reconcile {
  const pass = createPass(deps)
  return async (request) => {
    deps.waiting.begin(request.key)
    try {
      return await pass(request)
    } finally {
      deps.waiting.end(request.key)
    }
  }
}

function createPass(deps: ReconcileDeps): Reconcile {
  return async (request) => {
    const cached = deps.pools.get(request.key)
    const known = deps.known.uidOf(request.key)
    if (known !== undefined && known !== cached?.metadata.uid) {
      await forgetDeleted(deps, known, request)
    }
    await freeForgotten(deps, request)
    if (!cached) return settled
    deps.known.note(request.key, cached.metadata.uid)
    const pool = deps.ownWrites.over(cached)
    try {
      if (isMarked(pool, 'paused') && !(isBeingDeleted(pool) && needsNoCleanup(pool))) {
        return await reportPause(deps, pool, request)
      }
      return isBeingDeleted(pool)
        ? await cleanUp(deps, pool, request)
        : await maintain(deps, pool, request)
    } catch (error) {
      return handleError(deps, pool, error, request)
    }
  }
}

/**
 * A pool with the policy Retain has no finalizer, so that its deletion needs no operator: the store learns of it afterwards. Another pool
 * may have its name already.
 */
async function forgetDeleted(
  { known, forget }: ReconcileDeps,
  uid: string,
  { key, signal, logger }: ReconcileRequest,
): Promise<void> {
  await known.releaseSponsors(key, signal).catch((error: unknown) => {
    logger.warn({ err: error }, 'The store still names the deleted pool as owner of its sponsor')
  })
  await forget(uid)
}

/** A rotation holds two. The more Secrets a tenant gives the finalizer, the more passes it takes to free them. */
const MAX_FREED_IN_A_PASS = 10

/** A failure does not affect the pass: it only delays the deletion of the Secret. */
async function freeForgotten(
  { client, forgottenSecrets }: ReconcileDeps,
  { name: { namespace = '' }, signal, logger }: ReconcileRequest,
): Promise<void> {
  for (const { metadata } of forgottenSecrets(namespace).slice(0, MAX_FREED_IN_A_PASS)) {
    if (signal.aborted) return
    await freeSecret(client, { namespace, name: metadata.name }, signal).catch((error: unknown) => {
      logger.warn({ err: error, secret: metadata.name }, 'Could not free the Secret')
    })
  }
}

/** `observedGeneration` stays: the operator has not acted on the present spec. */
async function reportPause(
  { report }: ReconcileDeps,
  pool: ChannelPool,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const paused: ChannelPoolCondition = {
    type: 'Progressing',
    status: 'Unknown',
    reason: 'Paused',
    message: PAUSED,
  }
  const conditions = isBeingDeleted(pool)
    ? blockedConditions(
        `The pool is being deleted, and the annotation ${annotations.paused} is true: remove it, and the channels are merged into the sponsor.`,
      )
    : [paused]
  await report(pool, conditions, { ...pool.status }, signal)
  return settled
}

async function maintain(
  deps: ReconcileDeps,
  pool: ChannelPool,
  { key, signal }: ReconcileRequest,
): Promise<Outcome> {
  const { connectDeps, connect, report, clock, backoff, pace } = deps
  const { uid, name } = pool.metadata
  const change = await beginning(pool, deps, signal)
  if (change) {
    await report(
      pool,
      change.conditions,
      { ...pool.status, ...change.status },
      signal,
      change.events,
    )
    return again(0, 'another sponsor')
  }
  const connected = await connect(pool, signal)
  const before = rotationUnderWay(pool)
  if (!before) await takeSponsor(pool, connected)
  const { store, write, freed } = connected
  deps.known.note(key, uid, { store, write, freed })
  await setFinalizer(deps, pool, signal)
  if (!before) await holdChannelSecret(deps.client, { pool, source: connected.source }, signal)
  const desired = await desiredPool(pool, connected, clock.now())
  const options = {
    uid,
    users: poolUsers(deps.usersOf(key), name),
    takeOver: takeOverOf(pool),
    backoff,
    spec: pool.spec,
    connected,
    leadership: connectDeps.leadership,
    clock,
    signal,
    desired: desired.channels,
  }
  const { result, rotation } = before
    ? await rotationPass({ ...deps, pool, rotation: before, serving: options })
    : { result: await converge(options) }
  deps.waiting.reached(connected.dependencies)
  const conditions = rotation
    ? rotatingConditions(conditionsOf(result), rotation)
    : conditionsOf(result)
  const status = { ...pool.status, ...clearedFields, ...statusOf(result, pool.status, clock.now()) }
  const newStatus = atGeneration(pool, {
    ...status,
    ...autoscaleOf(desired),
    takenOver: takenOver(result, takeOverOf(pool)),
    ...sponsorFields(pool, status.sponsor, rotation),
  })
  if (pace.isDue(pool, conditions, newStatus, clock.now())) {
    await report(pool, conditions, newStatus, signal, rotationEvents(before, rotation))
  }
  const outcome = outcomeOf(result, backoff.afterPass(uid, result.applied), pool)
  return before && rotation ? sooner(outcome, rotation, before) : outcome
}

const rotationUnderWay = ({ status }: ChannelPool): Rotation | undefined =>
  isUnderWay(status?.rotation) ? status.rotation : undefined

type SponsorStatus = NonNullable<ChannelPool['status']>['sponsor']

function sponsorFields(pool: ChannelPool, sponsor: SponsorStatus, rotation: Rotation | undefined) {
  if (rotation) return { rotation, sponsor: sponsorAfter(rotation, sponsor) }
  return { sponsor: sponsor && { ...sponsor, source: sponsorInUse(pool) } }
}

/** Repeats the pass soon during a rotation: it waits for heartbeats of pods and for settlements to end, which no watch reports. */
function sooner(outcome: Outcome, rotation: Rotation, before: Rotation): Outcome {
  if (rotation.step !== before.step) return again(0, rotation.phase)
  const afterMs = rotation.blocked ? RETRY_BLOCKED_MS : ROTATION_INTERVAL_MS
  return outcome.kind === 'again' && outcome.afterMs < afterMs
    ? outcome
    : again(afterMs, rotation.phase)
}

/**
 * Only a clean-up needs a finalizer: a pool that keeps its channels can be deleted while no operator runs. During a rotation its Secrets
 * have finalizers, and the one from which channels are derived always has, which the deletion of the pool has to remove.
 */
async function setFinalizer(
  { client, type, ownWrites }: ReconcileDeps,
  live: ChannelPool & KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const request = { client, type, live, finalizer, signal }
  const holdsOwn = channelSecretOf(live, sponsorInUse(live)) !== undefined
  const written =
    live.spec.deletionPolicy === 'Retire' || live.status?.rotation?.holdsSecrets || holdsOwn
      ? await addFinalizer(request)
      : await removeFinalizer(request)
  if (written !== live) ownWrites.note(written)
}

function outcomeOf(
  result: PoolResult,
  shortMs: number | undefined,
  { spec }: ChannelPool,
): Outcome {
  const autoscaleMs = spec.autoscale ? AUTOSCALE_INTERVAL_MS : undefined
  const afterMs = nextPassMs(result, { shortMs, isFunded: isFunded(result) }) ?? autoscaleMs
  return afterMs === undefined ? settled : again(afterMs, result.applied.kind)
}

/** Fields that are removed unless this pass sets them. */
const clearedFields = {
  quarantined: undefined,
  autoscale: undefined,
  deletion: undefined,
  usedBy: undefined,
  replicas: undefined,
  storeId: undefined,
}
const takeOverOf = ({ metadata, status }: ChannelPool): TakeOver => ({
  from: metadata.annotations?.[annotations.takeOver],
  done: status?.takenOver,
})

const autoscaleOf = ({ autoscale }: DesiredPool) => autoscale && { autoscale }

async function handleError(
  deps: ReconcileDeps,
  pool: ChannelPool,
  error: unknown,
  request: ReconcileRequest,
): Promise<Outcome> {
  const { report } = deps
  const { signal } = request
  if (error instanceof LeadershipTooShort) return again(RETRY_AFTER_RENEWAL_MS, error.message)
  if (signal.aborted) throw error
  const blocker = blockerOf(error, pool.spec)
  if (blocker) {
    const status = { ...pool.status, takenOver: keptTakeOver(takeOverOf(pool)) }
    const conditions = conditionsOfBlocker(blocker, pool.status)
    const dependencies = deps.dependenciesOf(pool.metadata.uid)
    deps.waiting.wait(request.key, blocker.meaning.waitsFor, dependencies)
    await report(pool, conditions, atGeneration(pool, status), signal)
    return again(blocker.meaning.retryMs, blocker.message)
  }
  await reportFailure(deps, pool, error, request)
  if (!isUnexpected(error, signal)) throw error
  const outcome = outcomeOfFailure(pool, error)
  request.logger.error({ err: error }, 'The pass failed again')
  return outcome
}

/** An error of the report itself must not hide the one that it reports. */
async function reportFailure(
  { report }: ReconcileDeps,
  pool: ChannelPool,
  error: unknown,
  { signal, logger }: ReconcileRequest,
): Promise<void> {
  const conditions = failureConditions(error, isBeingDeleted(pool), signal)
  if (conditions.length === 0) return
  const status = isUnexpected(error, signal) ? atGeneration(pool, pool.status) : { ...pool.status }
  await report(pool, conditions, status, signal).catch((failed: unknown) => {
    logger.warn({ err: failed }, 'Could not report the failure')
  })
}
