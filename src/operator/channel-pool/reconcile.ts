import type { ChannelPool } from '../../api/channel-pool.ts'
import { finalizer, isMarked } from '../../api/marks.ts'
import type { Clock } from '../../core/clock.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Reconcile, ReconcileRequest } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/events.ts'
import { addFinalizer, hasFinalizer, removeFinalizer } from '../../kube/finalizers.ts'
import { again, type Outcome, settled } from '../../kube/outcome.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import { isBeingDeleted, type KubeObject, type ResourceType } from '../../kube/resource.ts'
import type { ReadStore } from '../../kube/store.ts'
import { readLeaseWaitP95Ms } from '../../store/lease-waits.ts'
import { Fenced } from '../../store/pools/fence.ts'
import { releaseSponsor, sponsorsOwnedBy } from '../../store/pools/ownership.ts'
import { readHourStats } from '../../store/settlements/hour-stats.ts'
import { LeadershipTooShort } from '../leadership.ts'
import type { PoolUse } from './autoscale.ts'
import { type Connect, type Connected, type Outside, obstacleOf } from './connect.ts'
import {
  blockedBy,
  type DeletionView,
  needsNoCleanup,
  refuseWhileUsed,
  viewDeletion,
} from './deletion.ts'
import { figuresOf } from './figures.ts'
import { judgePool } from './judge.ts'
import { conditionsOfObstacle, obstacles } from './obstacles.ts'
import { own, owns } from './ownership.ts'
import type { Report } from './report.ts'
import { wantedChannels } from './wanted.ts'
import { lookAgainMs, workOn } from './work.ts'

export interface ChannelPoolParts {
  readonly type: ResourceType<ChannelPool>
  readonly pools: ReadStore<ChannelPool>
  /** The Facilitators that name a pool, by `namespace/name` of the pool. */
  readonly usersOf: (poolKey: string) => readonly KubeObject[]
  readonly client: Pick<KubeClient, 'apply' | 'patch' | 'fieldManager'>
  /** What the cache may not show yet: a status is written on top of the one before. */
  readonly ownWrites: OwnWrites
  readonly outside: Outside
  readonly connect: Connect
  readonly report: Report
  readonly events: EventRecorder
  readonly clock: Clock
}

/** Use changes by itself: where it decides how many channels there are, somebody has to look. */
const AUTOSCALE_EVERY_MS = 30_000
const TERM_TOO_SHORT_MS = 1_000
/** A Secret that is not watched may have changed. */
const BLOCKED_AGAIN_MS = 10_000

/** One ChannelPool, whole: from its resource, the store and the ledger to what it shall be. */
export function createReconcile(parts: ChannelPoolParts): Reconcile {
  return async (request) => {
    const cached = parts.pools.get(request.key)
    if (!cached) return settled
    const pool = parts.ownWrites.over(cached)
    if (isMarked(pool, 'paused')) return pause(parts, pool, request)
    try {
      return isBeingDeleted(pool)
        ? await clean(parts, pool, request)
        : await maintain(parts, pool, request)
    } catch (error) {
      return endOf(parts, pool, error, request)
    }
  }
}

async function pause(
  { report }: ChannelPoolParts,
  pool: ChannelPool,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const message = 'The annotation x402.svc.dev/paused is true: the operator changes nothing.'
  const progressing = { type: 'Progressing', status: 'Unknown', reason: 'Paused', message } as const
  // What the spec says now was not looked at.
  const { observedGeneration } = pool.status ?? {}
  await report(pool, [progressing], { observedGeneration }, signal)
  return settled
}

async function maintain(
  parts: ChannelPoolParts,
  pool: ChannelPool,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const { client, type, outside, connect, report, clock } = parts
  const connected = await connect(pool, signal)
  await own(pool, connected)
  const kept = await addFinalizer({ client, type, live: pool, finalizer, signal })
  if (kept !== pool) parts.ownWrites.note(kept)
  const wanted = wantedChannels(pool, await useOf(pool, connected), clock.now())
  const { leadership } = outside
  const work = { spec: pool.spec, connected, leadership, clock, signal }
  const seen = await workOn({ ...work, wanted: wanted.channels })
  const figures = figuresOf(seen, pool.status, clock.now())
  await report(pool, judgePool(seen), { ...none, ...figures, ...autoscaled(wanted) }, signal)
  const afterMs = lookAgainMs(seen) ?? (pool.spec.autoscale ? AUTOSCALE_EVERY_MS : undefined)
  return afterMs === undefined ? settled : again(afterMs, seen.carried.kind)
}

/** Members that vanish when nothing is told of them. */
const none = { quarantined: undefined, autoscale: undefined, deletion: undefined }
const autoscaled = ({ autoscale }: ReturnType<typeof wantedChannels>) => autoscale && { autoscale }

async function useOf({ spec }: ChannelPool, connected: Connected): Promise<PoolUse> {
  if (!spec.autoscale) return { leaseWaitP95Ms: undefined, inUse: 0 }
  const { network, sponsor, store } = connected
  const [{ channelsInUse: inUse }, leaseWaitP95Ms] = await Promise.all([
    readHourStats(store.db, network, sponsor),
    readLeaseWaitP95Ms(store.db, network),
  ])
  return { leaseWaitP95Ms, inUse }
}

async function clean(
  parts: ChannelPoolParts,
  pool: ChannelPool,
  request: ReconcileRequest,
): Promise<Outcome> {
  if (!hasFinalizer(pool, finalizer)) return settled
  if (needsNoCleanup(pool)) return letGo(parts, pool, request)
  const { report, clock } = parts
  const { signal } = request
  const view: Retiring | undefined = await retire(parts, pool, request).catch((error: unknown) => {
    const obstacle = obstacleOf(error, pool.spec)
    if (!obstacle) throw error
    return blockedBy(pool, obstacle.message, clock.now())
  })
  if (!view || view.isDone) return release(parts, pool, request)
  const { deletion, conditions } = view
  const channels = pool.status?.channels && {
    ...pool.status.channels,
    accounts: deletion.accountsLeft,
  }
  await report(pool, conditions, { deletion, ...(channels && { channels }) }, signal)
  const isBlocked = conditions.some(({ reason }) => reason === 'DeletionBlocked')
  return again(isBlocked ? BLOCKED_AGAIN_MS : (view.againMs ?? 1_000), 'cleaning up')
}

interface Retiring extends DeletionView {
  readonly againMs?: number | undefined
}

/**
 * Merges what can be merged. Nobody leases a channel from the first look on. Undefined when the pool has none.
 */
async function retire(
  { usersOf, connect, outside, clock }: ChannelPoolParts,
  pool: ChannelPool,
  { key, signal }: ReconcileRequest,
): Promise<Retiring | undefined> {
  refuseWhileUsed(usersOf(key))
  const connected = await connect(pool, signal)
  // It never managed these channels: they are somebody else's, or nobody's.
  if (!(await owns(pool, connected))) return undefined
  const { leadership } = outside
  const seen = await workOn({
    spec: pool.spec,
    wanted: 0,
    connected,
    leadership,
    clock,
    signal,
  })
  return { ...(await viewDeletion(pool, seen, connected, clock.now())), againMs: lookAgainMs(seen) }
}

/** The channels stay. So does the sponsor's entry when the store is gone: a pool of this name may have it. */
async function letGo(
  parts: ChannelPoolParts,
  pool: ChannelPool,
  request: ReconcileRequest,
): Promise<Outcome> {
  const reason = 'CleanupSkipped'
  const count = pool.status?.channels?.accounts ?? 0
  if (isMarked(pool, 'skipCleanup') && pool.spec.deletionPolicy === 'Retire' && count > 0) {
    const note = `${count} channels stay on the ledger, and their reserves locked.`
    parts.events.record(pool, { type: 'Warning', reason, action: 'Delete', note })
  }
  return release(parts, pool, request)
}

async function release(
  { connect, client, type, outside }: ChannelPoolParts,
  pool: ChannelPool,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const { uid } = pool.metadata
  try {
    const { store, write } = await connect(pool, signal)
    for (const owned of await sponsorsOwnedBy(store.db, uid)) await write(releaseSponsor, owned)
  } catch (error) {
    if (!needsNoCleanup(pool) || !obstacleOf(error, pool.spec)) throw error
  }
  await removeFinalizer({ client, type, live: pool, finalizer, signal })
  await outside.stores.giveBack(uid)
  await outside.networks.giveBack(uid)
  return settled
}

async function endOf(
  { report, outside }: ChannelPoolParts,
  pool: ChannelPool,
  error: unknown,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  if (error instanceof LeadershipTooShort) return again(TERM_TOO_SHORT_MS, error.message)
  if (error instanceof Fenced) {
    outside.leadership.onFenced(error)
    throw error
  }
  const obstacle = obstacleOf(error, pool.spec)
  if (!obstacle || signal.aborted) throw error
  await report(pool, conditionsOfObstacle(obstacle), {}, signal)
  return again(obstacles[obstacle.reason].againMs, obstacle.message)
}
