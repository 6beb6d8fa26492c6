import { heldOf, stuckSentence } from '../../../../payments/channels/held-channels.ts'
import { listSettlements } from '../../../../payments/store/settlements/list.ts'
import { isoTime } from '../../../../platform/core/text/iso-time.ts'
import type { ChannelPoolCondition } from '../../../crd/channel-pool/conditions.ts'
import { MAX_SAMPLES } from '../../../crd/channel-pool/status.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import { annotations } from '../../../crd/names/marks.ts'
import type { Connected } from '../connect/connect.ts'
import type { PoolResult } from '../converge/converge.ts'
import { leftOf } from '../rotation/channel-facts.ts'
import { sentence } from '../rotation/check.ts'

type DeletionStatus = NonNullable<NonNullable<ChannelPool['status']>['deletion']>

/** How far the clean-up of a deleted pool is. */
export interface DeletionProgress {
  readonly deletion: DeletionStatus
  readonly conditions: readonly ChannelPoolCondition[]
  /** Every channel is merged and no settlement uses one. */
  readonly isDone: boolean
  readonly nextMs?: number | undefined
}

/** How far the pool is after a pass that merged what it could. */
export async function deletionProgress(
  pool: ChannelPool,
  result: PoolResult,
  { network, store }: Pick<Connected, 'network' | 'store'>,
  now: number,
): Promise<DeletionProgress> {
  const left = leftOf(result)
  const { accounts: accountsLeft, holders } = left
  const request = { network, only: 'unfinished', limit: MAX_SAMPLES } as const
  const unfinished = holders !== undefined ? await listSettlements(store.db, request) : []
  const deletion: DeletionStatus = {
    ...startOf(pool, now),
    accountsLeft,
    unfinished: heldOf(result.channels).bySettlements,
    unfinishedHashes: unfinished.flatMap(({ recorded }) => recorded?.txHash ?? []).toReversed(),
  }
  return { deletion, isDone: left.isEmpty, conditions: conditionsOfProgress(result, left) }
}

/** Combines both sponsors of a rotation: the conditions are those of the first that is not done. */
export function together(all: readonly DeletionProgress[]): DeletionProgress | undefined {
  const [first] = all
  if (!first) return undefined
  const { conditions, nextMs } = all.find(({ isDone }) => !isDone) ?? first
  const sum = (of: (deletion: DeletionStatus) => number) =>
    all.reduce((total, { deletion }) => total + of(deletion), 0)
  const deletion = {
    ...first.deletion,
    accountsLeft: sum(({ accountsLeft }) => accountsLeft),
    unfinished: sum(({ unfinished }) => unfinished),
  }
  return { deletion, conditions, nextMs, isDone: all.every(({ isDone }) => isDone) }
}

/** A pool that is emptied leases no channel any more, whatever keeps its deletion from ending. */
const conditionsOfProgress = (
  result: PoolResult,
  left: ReturnType<typeof leftOf>,
): readonly ChannelPoolCondition[] => {
  const conditions = conditionsOfEmptying(result, left)
  const reason = conditions[0]?.reason ?? 'Retiring'
  const message = 'The pool is being deleted, so no settlement gets a channel of it any more.'
  return [{ type: 'Ready', status: 'False', reason, message }, ...conditions]
}

function conditionsOfEmptying(
  { channels, applied }: PoolResult,
  { accounts, holders, problem }: ReturnType<typeof leftOf>,
): readonly ChannelPoolCondition[] {
  const stuck = stuckSentence(channels)
  if (stuck !== undefined) return blockedConditions(sentence(stuck))
  if (holders !== undefined) return underWay('Draining', sentence(holders))
  if (applied.kind === 'short') {
    return blockedConditions(`The channels cannot be merged: ${applied.message}.`)
  }
  if (problem !== undefined) {
    return blockedConditions(`${accounts} channels cannot be merged; status.quarantined says why.`)
  }
  return underWay('Retiring', `${accounts} channels are to be merged into the sponsor.`)
}

/** Each message of a deletion that cannot continue names the way out. Ready keeps the last observation: pods may still settle. */
export const blockedConditions = (
  message: string,
  reason: ChannelPoolCondition['reason'] = 'DeletionBlocked',
): readonly ChannelPoolCondition[] => {
  const says = `${message} ${SKIP}`
  return [
    { type: 'Progressing', status: 'False', reason: 'DeletionBlocked', message: says },
    { type: 'Degraded', status: 'True', reason, message: says },
  ]
}

const SKIP = `Or set the annotation ${annotations.skipCleanup}: "true" on it: then it is deleted, and its channels stay on the ledger with their reserves locked.`

const underWay = (
  reason: 'Draining' | 'Retiring',
  message: string,
): readonly ChannelPoolCondition[] => [
  { type: 'Progressing', status: 'True', reason, message },
  { type: 'Degraded', status: 'False', reason, message: 'Nothing is in the way of the deletion.' },
]

/** With the settlement authority, which `status.channels` counts only while the pool should have no channels. */
export function accountsOnLedger({ status }: Pick<ChannelPool, 'status'>): number {
  const { deletion, channels, authority } = status ?? {}
  if (deletion) return deletion.accountsLeft
  const { accounts = 0, wanted = 0 } = channels ?? {}
  return accounts + (authority?.onLedger && wanted > 0 ? 1 : 0)
}

/** The progress so far, or that of a deletion that starts now. */
export const startOf = ({ status, spec }: ChannelPool, now: number): DeletionStatus =>
  status?.deletion ?? {
    policy: spec.deletionPolicy,
    startedAt: isoTime(now),
    accountsLeft: accountsOnLedger({ status }),
    unfinished: 0,
    unfinishedHashes: [],
  }
