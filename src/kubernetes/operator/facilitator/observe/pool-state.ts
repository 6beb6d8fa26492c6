import { formatXlm, stroopsFromLumens } from '../../../../platform/core/amounts/stroops.ts'
import type { ChannelPoolReason } from '../../../crd/channel-pool/conditions.ts'
import { leastChannels } from '../../../crd/channel-pool/spec.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import { causeOf } from '../../../crd/fields/cause.ts'
import { type ConditionStatus, findCondition } from '../../../runtime/objects/conditions.ts'
import { podSponsors, stepOf } from '../../references/pod-sponsors.ts'
import { type PoolUser, poolUsers } from '../../references/pool-users.ts'
import { NOT_OBSERVED } from '../../reporting/report.ts'
import type { ObservedFacilitator } from './observe.ts'

/** A pool of the spec, as its status describes it. */
export interface PoolState {
  readonly name: string
  readonly network: string | undefined
  /** Channels it should have. */
  readonly desired: number
  readonly ready: PoolCondition
  readonly funded: PoolCondition
  /** Replicas of all Facilitators that name the pool, together. */
  readonly replicas: number
  readonly facilitators: number
  /** The difference between the pool and its spec. */
  readonly degraded: PoolCondition
  /** Whether settlements find a channel, even if there are fewer than desired, and the sponsor can pay for one. */
  readonly settles: ConditionStatus
}

interface PoolCondition {
  readonly status: ConditionStatus
  /** One of the reasons of a ChannelPool. */
  readonly reason: string
  readonly message: string
}

/**
 * With these reasons the operator cannot use the pool, but pods that serve may go on: another pool manages the same channels, or the
 * pods have the endpoints of an earlier spec.
 */
const unknownReasons: ReadonlySet<string> = new Set<ChannelPoolReason>([
  'Conflict',
  'SponsorMarked',
  'RpcWrongNetwork',
])

const missing: PoolCondition = {
  status: 'False',
  reason: 'PoolMissing',
  message: 'There is no such ChannelPool.',
}
const notObserved: PoolCondition = {
  status: 'Unknown',
  reason: 'NotObserved',
  message: NOT_OBSERVED,
}

/** The states of the pools in the order of `spec.networks`. */
export const poolStates = ({
  facilitator,
  pools,
}: Pick<ObservedFacilitator, 'facilitator' | 'pools'>): readonly PoolState[] =>
  facilitator.spec.networks.map(({ channelPool: name }) => {
    const state = stateOf(name, pools.get(name))
    const [user] = poolUsers([facilitator], name)
    return user ? forUser(state, user, pools.get(name)) : state
  })

function stateOf(name: string, pool: ChannelPool | undefined): PoolState {
  if (!pool) {
    const unknown = { name, network: undefined, desired: 0, replicas: 0, facilitators: 0 }
    const conditions = { ready: missing, funded: notObserved, degraded: notObserved }
    return { ...unknown, ...conditions, settles: 'Unknown' }
  }
  const { status, spec } = pool
  // The message is the one with the sentence about the reason, whichever condition of the pool has it.
  const conditionOf = (type: string): PoolCondition => {
    const found = findCondition(status?.conditions, type)
    if (!found) return notObserved
    const { message } = causeOf(status?.conditions, found.reason) ?? found
    return { ...found, message }
  }
  const ready = conditionOf('Ready')
  return {
    name,
    network: spec.network,
    desired:
      status?.channels?.wanted ?? (spec.autoscale ? leastChannels(spec.autoscale) : spec.channels),
    ready,
    funded: conditionOf('Funded'),
    replicas: status?.replicas ?? 0,
    facilitators: status?.usedBy?.length ?? 0,
    degraded: conditionOf('Degraded'),
    settles: settlesBy(ready, (status?.channels?.ready ?? 0) > 0),
  }
}

function settlesBy({ status, reason }: PoolCondition, hasChannels: boolean): ConditionStatus {
  if (status !== 'False') return status
  // The pods have a schema that they work with: only the operator waits.
  const waits: ChannelPoolReason = 'StoreSchemaOutdated'
  if (reason === waits) return hasChannels ? 'True' : 'False'
  return unknownReasons.has(reason) ? 'Unknown' : 'False'
}

/** The pool is Ready when its sponsor can pay for any of its Facilitators; this one may keep more in reserve, or have changed since. */
function forUser(state: PoolState, user: PoolUser, pool: ChannelPool | undefined): PoolState {
  const { sponsor } = pool?.status ?? {}
  // The pool may have counted before this one was changed.
  const counted = { ...state, replicas: Math.max(state.replicas, user.replicas) }
  const spendable = sponsor?.spendableXlm
  if (state.settles !== 'True' || spendable === undefined) return counted
  if (stroopsFromLumens(spendable) >= user.requires) return counted
  const message = `Its sponsor can spend ${spendable} XLM, and this Facilitator settles nothing below ${formatXlm(user.requires)} (its ${user.requiresBy}): send XLM to ${sponsor?.address}.`
  const ready = { status: 'False', reason: 'SponsorCannotPay', message } as const
  return { ...counted, ready, settles: 'False' }
}

/**
 * The part of a pool's state that its Facilitators depend on. A change of the rest, such as channels in use or the balance that a
 * message names while all is well, does not reach them.
 */
export const relevantPoolState = (pool: ChannelPool): unknown => {
  const { ready, funded, degraded, desired, settles, replicas } = stateOf(pool.metadata.name, pool)
  const values = ({ status, reason, message }: PoolCondition, well = 'True') =>
    status === well ? [status, reason] : [status, reason, message]
  const seeds = [stepOf(pool), podSponsors(pool, true)]
  return [
    pool.metadata.generation,
    values(ready),
    values(funded),
    desired,
    values(degraded, 'False'),
    settles,
    replicas,
    seeds,
  ]
}
