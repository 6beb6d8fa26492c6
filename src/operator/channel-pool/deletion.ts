import type { ChannelPool } from '../../api/channel-pool.ts'
import { MAX_SAMPLES } from '../../api/channel-pool-status.ts'
import { isMarked } from '../../api/marks.ts'
import { isoTime } from '../../core/iso-time.ts'
import type { KubeObject } from '../../kube/resource.ts'
import { listSettlements } from '../../store/settlements/list.ts'
import type { Connected } from './connect.ts'
import type { PoolObservation } from './observation.ts'
import { type Observed, Obstacle } from './obstacles.ts'

type Deletion = NonNullable<NonNullable<ChannelPool['status']>['deletion']>

/** How a deletion stands, and what to tell about it. */
export interface DeletionView {
  readonly deletion: Deletion
  readonly conditions: readonly Observed[]
  /** Nothing of the pool is left that its policy wants gone. */
  readonly isDone: boolean
}

/** Whether a deletion may go on without looking at anything outside. */
export const needsNoCleanup = (pool: ChannelPool): boolean =>
  isMarked(pool, 'skipCleanup') || pool.spec.deletionPolicy === 'Retain'

/** What is in the way of a deletion that wants the channels gone. */
export function blockedBy(pool: ChannelPool, message: string, now: number): DeletionView {
  const deletion = begun(pool, now)
  return { deletion, isDone: false, conditions: told('DeletionBlocked', message) }
}

/** Throws an `Obstacle` while a Facilitator would be left without channels. */
export function refuseWhileUsed(users: readonly KubeObject[]): void {
  const [first] = users
  if (!first) return
  const names = users.map(({ metadata }) => metadata.name).slice(0, MAX_SAMPLES)
  throw new Obstacle(
    'Conflict',
    `Facilitator ${names.join(', ')} still uses this pool: delete it, or take the pool out of its ` +
      'spec.networks.',
  )
}

/** How far the channels of a pool that shall be merged away are. */
export async function viewDeletion(
  pool: ChannelPool,
  seen: PoolObservation,
  { network, store }: Pick<Connected, 'network' | 'store'>,
  now: number,
): Promise<DeletionView> {
  const { accounts, plan, carried } = seen
  const merged = carried.kind === 'merged' ? carried.count : 0
  const accountsLeft = accounts.size - merged
  const held = seen.channels.filter(({ isLeased, heldBy }) => isLeased || heldBy !== undefined)
  const request = { network, only: 'unfinished', limit: MAX_SAMPLES } as const
  const unfinished = held.length > 0 ? await listSettlements(store.db, request) : []
  const deletion: Deletion = {
    ...begun(pool, now),
    accountsLeft,
    unfinished: held.length,
    unfinishedHashes: unfinished.flatMap(({ recorded }) => recorded?.txHash ?? []).toReversed(),
  }
  const isOver = carried.kind === 'settled' && plan.busy.length === 0
  const isDone = isOver && accountsLeft === 0 && held.length === 0
  return { deletion, isDone, conditions: conditionsOf(seen, accountsLeft, held.length) }
}

function conditionsOf(seen: PoolObservation, left: number, held: number): readonly Observed[] {
  const stuck = seen.channels.filter(({ heldBy }) => heldBy !== undefined)
  if (stuck.length > 0) {
    const ids = stuck.map(({ heldBy }) => heldBy).slice(0, MAX_SAMPLES)
    return told(
      'DeletionBlocked',
      `Nobody can tell what became of settlement ${ids.join(', ')}: end it with svc settlements resolve.`,
    )
  }
  if (held > 0) return told('Draining', `${held} channels are used by settlements still.`)
  if (left > 0 && seen.carried.kind === 'settled' && seen.plan.busy.length === 0) {
    return told(
      'DeletionBlocked',
      `${left} channels cannot be merged; status.quarantined says why. The annotation ` +
        'x402.svc.dev/skip-cleanup lets the pool go without them.',
    )
  }
  return told('Retiring', `${left} channels are to be merged into the sponsor.`)
}

const told = (reason: Observed['reason'], message: string): readonly Observed[] => [
  { type: 'Ready', status: 'False', reason, message },
  { type: 'Progressing', status: reason === 'DeletionBlocked' ? 'False' : 'True', reason, message },
]

const begun = ({ status, spec }: ChannelPool, now: number): Deletion =>
  status?.deletion ?? {
    policy: spec.deletionPolicy,
    startedAt: isoTime(now),
    accountsLeft: status?.channels?.accounts ?? 0,
    unfinished: 0,
    unfinishedHashes: [],
  }
