import type { ChannelPool, StoredChannelPool } from '../../api/channel-pool.ts'
import type { ChannelPoolCondition } from '../../api/channel-pool-conditions.ts'
import { MAX_SAMPLES } from '../../api/channel-pool-status.ts'
import { finalizer, isMarked } from '../../api/marks.ts'
import type { Clock } from '../../core/clock.ts'
import { isoTime } from '../../core/iso-time.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { ReconcileRequest } from '../../kube/controller.ts'
import type { EventRecorder } from '../../kube/events.ts'
import { hasFinalizer, removeFinalizer } from '../../kube/finalizers.ts'
import { again, type Outcome, settled } from '../../kube/outcome.ts'
import type { KubeObject, ResourceType } from '../../kube/resource.ts'
import { Fenced } from '../../store/pools/fence.ts'
import { releaseSponsor, sponsorsOwnedBy } from '../../store/pools/ownership.ts'
import { listSettlements } from '../../store/settlements/list.ts'
import { LeadershipTooShort } from '../leadership.ts'
import { atGeneration, type Report } from '../report.ts'
import { isUnexpected } from '../unexpected-error.ts'
import { PoolBlocked } from './blockers.ts'
import { blockerOf, type Connect, type ConnectDeps, type Connected } from './connect.ts'
import { converge, nextPassMs, type PoolResult } from './converge.ts'
import { managesSponsor } from './ownership.ts'
import { accountsAfter } from './status.ts'

export interface DeletionDeps {
  readonly type: ResourceType<StoredChannelPool>
  /** The Facilitators that name a pool, by `namespace/name` of the pool. */
  readonly usersOf: (poolKey: string) => readonly KubeObject[]
  readonly client: Pick<KubeClient, 'apply' | 'patch' | 'fieldManager'>
  readonly connectDeps: ConnectDeps
  readonly connect: Connect
  readonly report: Report<StoredChannelPool, ChannelPoolCondition>
  readonly events: EventRecorder
  readonly clock: Clock
}

type DeletionStatus = NonNullable<NonNullable<ChannelPool['status']>['deletion']>

/** How far the clean-up of a deleted pool is. */
interface DeletionProgress {
  readonly deletion: DeletionStatus
  readonly conditions: readonly ChannelPoolCondition[]
  /** Every channel is merged and no settlement uses one. */
  readonly isDone: boolean
  readonly nextMs?: number | undefined
}

/** An unwatched Secret may have changed, or a Facilitator stopped using the pool. */
const RETRY_BLOCKED_MS = 10_000
const DEFAULT_NEXT_PASS_MS = 1_000

/** One pass of a deletion. The finalizer goes last: until then the next pass continues. */
export async function cleanUp(
  deps: DeletionDeps,
  pool: ChannelPool,
  request: ReconcileRequest,
): Promise<Outcome> {
  if (!hasFinalizer(pool, finalizer)) return settled
  if (needsNoCleanup(pool)) return skipCleanup(deps, pool, request)
  const { report, clock } = deps
  const progress = await drainAndMerge(deps, pool, request).catch((error: unknown) => {
    const blocker = blockerOf(error, pool.spec)
    if (!blocker) throw error
    return blockedDeletion(pool, blocker.message, clock.now())
  })
  if (!progress || progress.isDone) return release(deps, pool, request)
  const { deletion, conditions, nextMs = DEFAULT_NEXT_PASS_MS } = progress
  const channels = pool.status?.channels && {
    ...pool.status.channels,
    accounts: deletion.accountsLeft,
  }
  const status = { ...pool.status, deletion, ...(channels && { channels }) }
  await report(pool, conditions, atGeneration(pool, status), request.signal)
  const isBlocked = conditions.some(({ reason }) => reason === 'DeletionBlocked')
  return again(isBlocked ? RETRY_BLOCKED_MS : nextMs, 'cleaning up')
}

/** Drains the channels and merges those that are idle. Undefined when the pool never managed its sponsor. */
async function drainAndMerge(
  { usersOf, connect, connectDeps, clock }: DeletionDeps,
  pool: ChannelPool,
  { key, signal }: ReconcileRequest,
): Promise<DeletionProgress | undefined> {
  refuseWhileUsed(usersOf(key))
  const connected = await connect(pool, signal)
  if (!(await managesSponsor(pool, connected))) return undefined
  const { leadership } = connectDeps
  const options = { spec: pool.spec, connected, leadership, clock, signal }
  const result = await converge({ ...options, desired: 0 })
  const progress = await deletionProgress(pool, result, connected, clock.now())
  return { ...progress, nextMs: nextPassMs(result) }
}

/** Leaves the channels on the ledger; records an event where the spec asked for their reserves back. */
async function skipCleanup(
  deps: DeletionDeps,
  pool: ChannelPool,
  request: ReconcileRequest,
): Promise<Outcome> {
  const reason = 'CleanupSkipped'
  const count = pool.status?.channels?.accounts ?? 0
  if (isMarked(pool, 'skipCleanup') && pool.spec.deletionPolicy === 'Retire' && count > 0) {
    const note = `${count} channels stay on the ledger, and their reserves locked.`
    deps.events.record(pool, { type: 'Warning', reason, action: 'Delete', note })
  }
  return release(deps, pool, request)
}

/**
 * Gives up the pool's sponsors in the store and removes the finalizer. Where no clean-up is needed, an
 * unreachable store, or a URL that cannot be parsed, does not block the deletion: a later pool of this name may
 * take the sponsor over.
 */
async function release(
  { connect, client, type, connectDeps }: DeletionDeps,
  pool: ChannelPool,
  { signal }: ReconcileRequest,
): Promise<Outcome> {
  const { uid } = pool.metadata
  try {
    const { store, write } = await connect(pool, signal)
    for (const owned of await sponsorsOwnedBy(store.db, uid)) await write(releaseSponsor, owned)
  } catch (error) {
    if (!needsNoCleanup(pool) || !isOfThePool(error, pool, signal)) throw error
  }
  await removeFinalizer({ client, type, live: pool, finalizer, signal })
  await connectDeps.stores.release(uid)
  await connectDeps.networks.release(uid)
  return settled
}

/** Whether the spec or the world around the pool causes the error, and not the leadership or the API server. */
const isOfThePool = (error: unknown, { spec }: ChannelPool, signal: AbortSignal): boolean =>
  blockerOf(error, spec) !== undefined ||
  (isUnexpected(error, signal) &&
    !(error instanceof Fenced) &&
    !(error instanceof LeadershipTooShort))

/** Whether the channels stay on the ledger. */
const needsNoCleanup = (pool: ChannelPool): boolean =>
  isMarked(pool, 'skipCleanup') || pool.spec.deletionPolicy === 'Retain'

/** For a clean-up that a blocker keeps from starting. */
function blockedDeletion(pool: ChannelPool, message: string, now: number): DeletionProgress {
  const deletion = startOf(pool, now)
  return { deletion, isDone: false, conditions: deletionConditions('DeletionBlocked', message) }
}

/** Throws `PoolBlocked` while a Facilitator would lose its channels. */
function refuseWhileUsed(users: readonly KubeObject[]): void {
  const [first] = users
  if (!first) return
  const names = users.map(({ metadata }) => metadata.name).slice(0, MAX_SAMPLES)
  throw new PoolBlocked(
    'Conflict',
    `Facilitator ${names.join(', ')} still uses this pool: delete it, or take the pool out of its ` +
      'spec.networks.',
  )
}

/** How far the pool is after a pass that merged what it could. */
async function deletionProgress(
  pool: ChannelPool,
  result: PoolResult,
  { network, store }: Pick<Connected, 'network' | 'store'>,
  now: number,
): Promise<DeletionProgress> {
  const { plan, applied } = result
  const accountsLeft = accountsAfter(result)
  const held = result.channels.filter(({ isLeased, heldBy }) => isLeased || heldBy !== undefined)
  const request = { network, only: 'unfinished', limit: MAX_SAMPLES } as const
  const unfinished = held.length > 0 ? await listSettlements(store.db, request) : []
  const deletion: DeletionStatus = {
    ...startOf(pool, now),
    accountsLeft,
    unfinished: held.length,
    unfinishedHashes: unfinished.flatMap(({ recorded }) => recorded?.txHash ?? []).toReversed(),
  }
  const isIdle = applied.kind === 'unchanged' && plan.busy.length === 0
  const isDone = isIdle && accountsLeft === 0 && held.length === 0
  return { deletion, isDone, conditions: conditionsOfProgress(result, accountsLeft, held.length) }
}

function conditionsOfProgress(
  { channels, applied, plan }: PoolResult,
  accountsLeft: number,
  heldCount: number,
): readonly ChannelPoolCondition[] {
  const unresolvable = channels.flatMap(({ heldBy }) => heldBy ?? [])
  if (unresolvable.length > 0) {
    return deletionConditions(
      'DeletionBlocked',
      `The outcome of settlement ${unresolvable.slice(0, MAX_SAMPLES).join(', ')} is unknown: end it with svc settlements resolve.`,
    )
  }
  if (heldCount > 0)
    return deletionConditions('Draining', `Settlements still use ${heldCount} channels.`)
  if (accountsLeft > 0 && applied.kind === 'unchanged' && plan.busy.length === 0) {
    return deletionConditions(
      'DeletionBlocked',
      `${accountsLeft} channels cannot be merged; status.quarantined says why. The annotation ` +
        'x402.svc.dev/skip-cleanup deletes the pool without them.',
    )
  }
  return deletionConditions(
    'Retiring',
    `${accountsLeft} channels are to be merged into the sponsor.`,
  )
}

const deletionConditions = (
  reason: ChannelPoolCondition['reason'],
  message: string,
): readonly ChannelPoolCondition[] => [
  { type: 'Ready', status: 'False', reason, message },
  { type: 'Progressing', status: reason === 'DeletionBlocked' ? 'False' : 'True', reason, message },
]

const startOf = ({ status, spec }: ChannelPool, now: number): DeletionStatus =>
  status?.deletion ?? {
    policy: spec.deletionPolicy,
    startedAt: isoTime(now),
    accountsLeft: status?.channels?.accounts ?? 0,
    unfinished: 0,
    unfinishedHashes: [],
  }
