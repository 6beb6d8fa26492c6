import type { Clock } from '../../../../platform/core/time/clock.ts'
import type { ChannelPoolCondition } from '../../../crd/channel-pool/conditions.ts'
import { MAX_SAMPLES } from '../../../crd/channel-pool/status.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { finalizer, isMarked } from '../../../crd/names/marks.ts'
import { hasFinalizer, removeFinalizer } from '../../../runtime/apply/finalizers.ts'
import type { KubeClient } from '../../../runtime/client/client.ts'
import type { ReconcileRequest } from '../../../runtime/controller/controller.ts'
import { again, type Outcome, settled } from '../../../runtime/controller/outcome.ts'
import type { EventRecorder } from '../../../runtime/events/events.ts'
import type { KubeObject, ResourceType } from '../../../runtime/objects/resource.ts'
import { sponsorInUse, sponsorsToEmpty } from '../../references/rotation-state.ts'
import { sponsorSourceId } from '../../references/sponsor-source.ts'
import { atGeneration, type Report } from '../../reporting/report.ts'
import { isUnexpected } from '../../reporting/unexpected-error.ts'
import { LeadershipTooShort } from '../../store-access/leadership.ts'
import { PoolBlocked } from '../connect/blockers.ts'
import { blockerOf, type Connect, type ConnectDeps, type Connected } from '../connect/connect.ts'
import { managesSponsor, releaseSponsors } from '../connect/ownership.ts'
import type { PoolBackoff } from '../converge/backoff.ts'
import { converge, nextPassMs } from '../converge/converge.ts'
import { freeChannelSecret, freeSecrets } from '../rotation/hold-secrets.ts'
import {
  accountsOnLedger,
  blockedConditions,
  type DeletionProgress,
  deletionProgress,
  startOf,
  together,
} from './deletion-progress.ts'
import { givesUp } from './give-up.ts'
import type { NamespacePhases } from './namespace-phase.ts'

export interface DeletionDeps {
  readonly type: ResourceType<ChannelPool>
  /** The Facilitators that name a pool, by `namespace/name` of the pool. */
  readonly usersOf: (poolKey: string) => readonly Facilitator[]
  readonly client: Pick<KubeClient, 'get' | 'apply' | 'patch' | 'fieldManager'>
  readonly connectDeps: ConnectDeps
  readonly connect: Connect
  readonly report: Report<ChannelPool, ChannelPoolCondition>
  readonly events: EventRecorder
  readonly clock: Clock
  readonly backoff: PoolBackoff
  readonly namespaces: NamespacePhases
  /** Forgets what this process keeps of a pool, and closes what it alone used. */
  readonly forget: (uid: string) => Promise<void>
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
  let blocker: PoolBlocked | undefined
  const progress = await drainAndMerge(deps, pool, request).catch((error: unknown) => {
    blocker = blockerOf(error, pool.spec)
    if (!blocker) throw error
    return blockedDeletion(pool, blocker.message, clock.now())
  })
  if (!progress || progress.isDone) return release(deps, pool, request)
  const { deletion, conditions, nextMs = DEFAULT_NEXT_PASS_MS } = progress
  const isBlocked = conditions.some(({ reason }) => reason === 'DeletionBlocked')
  const because = isBlocked && (await givesUp(deps, pool, { blocker, deletion }, request.signal))
  if (because) return skipCleanup(deps, pool, request, because)
  const channels = pool.status?.channels && {
    ...pool.status.channels,
    accounts: deletion.accountsLeft,
  }
  const status = { ...pool.status, deletion, ...(channels && { channels }) }
  await report(pool, conditions, atGeneration(pool, status), request.signal)
  return again(isBlocked ? RETRY_BLOCKED_MS : nextMs, 'cleaning up')
}

/**
 * Drains the channels and merges those that are idle, of both sponsors during a rotation. Undefined when the pool never managed its
 * sponsor.
 */
async function drainAndMerge(
  deps: DeletionDeps,
  pool: ChannelPool,
  { key, signal }: ReconcileRequest,
): Promise<DeletionProgress | undefined> {
  refuseWhileUsed(deps.usersOf(key))
  const all: DeletionProgress[] = []
  for (const { source, beside, rescueTo } of sponsorsToEmpty(pool)) {
    const connected = await deps.connect(pool, signal, source)
    if (!(await managesSponsor(pool, connected, beside))) continue
    const uid = `${pool.metadata.uid}/${sponsorSourceId(source)}`
    const rescuer = rescueTo && (await deps.connect(pool, signal, rescueTo))
    all.push(await emptySponsor(deps, { pool, connected, uid, signal, rescuer }))
  }
  return all.length > 0 ? together(all) : undefined
}

interface SponsorToEmpty {
  readonly pool: ChannelPool
  readonly connected: Connected
  /** The key of its back-off. */
  readonly uid: string
  readonly rescuer: Connected | undefined
  readonly signal: AbortSignal
}

async function emptySponsor(
  { connectDeps, clock, backoff }: DeletionDeps,
  { pool, connected, uid, signal, rescuer }: SponsorToEmpty,
): Promise<DeletionProgress> {
  const { leadership } = connectDeps
  const options = { uid, spec: pool.spec, connected, leadership, clock, signal, backoff, rescuer }
  const takeOver = { from: undefined, done: undefined }
  const result = await converge({ ...options, users: [], takeOver, desired: 0 })
  const progress = await deletionProgress(pool, result, connected, clock.now())
  const shortMs = backoff.afterPass(uid, result.applied)
  return { ...progress, nextMs: nextPassMs(result, { shortMs, isFunded: true }) }
}

/**
 * Leaves the channels on the ledger; records an event where the spec asked for their reserves back. Reads of the spec only its policy:
 * it is the way out of a pool whose spec the operator fails on.
 */
async function skipCleanup(
  deps: DeletionDeps,
  pool: ChannelPool,
  request: ReconcileRequest,
  because = 'The annotation asks for it',
): Promise<Outcome> {
  const { sponsor, authority } = pool.status ?? {}
  const count = accountsOnLedger(pool)
  if (pool.spec.deletionPolicy === 'Retire' && count > 0) {
    const note = `${because}: ${count} ${authority?.onLedger ? 'accounts (channels and the settlement authority)' : 'channel accounts'} of sponsor ${sponsor?.address} stay on the ledger, with 1 XLM each locked. To get it back, create a ChannelPool with this sponsor and the policy Retire, and delete it.`
    deps.events.record(pool, { type: 'Warning', reason: 'CleanupSkipped', action: 'Delete', note })
    // A namespace that terminates takes no events.
    request.logger.warn({ sponsor: sponsor?.address, accounts: count }, note)
  }
  return release(deps, pool, request, true)
}

/**
 * Gives up the pool's sponsors in the store and removes the finalizer.
 * @param isForced also when the store cannot be reached: a later pool of this name may take the sponsor over
 */
async function release(
  { connect, client, type, forget }: DeletionDeps,
  pool: ChannelPool,
  { signal }: ReconcileRequest,
  isForced = false,
): Promise<Outcome> {
  const { uid } = pool.metadata
  try {
    await releaseSponsors(uid, await connect(pool, signal), signal)
  } catch (error) {
    if (!isForced || !isOfThePool(error, pool, signal)) throw error
  }
  const { rotation } = pool.status ?? {}
  if (rotation?.holdsSecrets) {
    await freeSecrets(client, { pool, rotation }, { inUse: undefined, signal })
  }
  await freeChannelSecret(client, { pool, source: sponsorInUse(pool) }, signal)
  await removeFinalizer({ client, type, live: pool, finalizer, signal })
  await forget(uid)
  return settled
}

/** Whether the spec or the world around the pool causes the error, and not the leadership or the API server. */
const isOfThePool = (error: unknown, { spec }: ChannelPool, signal: AbortSignal): boolean =>
  blockerOf(error, spec) !== undefined ||
  (isUnexpected(error, signal) && !(error instanceof LeadershipTooShort))

/** Whether the channels stay on the ledger. */
export const needsNoCleanup = (pool: ChannelPool): boolean =>
  isMarked(pool, 'skipCleanup') || pool.spec.deletionPolicy === 'Retain'

/** The progress of a clean-up that a blocker keeps from starting. */
function blockedDeletion(pool: ChannelPool, message: string, now: number): DeletionProgress {
  return { deletion: startOf(pool, now), isDone: false, conditions: blockedConditions(message) }
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
