import type { StoredChannelPool } from '../../api/channel-pool.ts'
import type { ChannelPoolReason } from '../../api/channel-pool-conditions.ts'
import { type ConditionStatus, findCondition } from '../../kube/conditions.ts'
import { NOT_OBSERVED } from '../report.ts'
import type { ObservedFacilitator } from './observe.ts'

/** A pool of the spec, as its status describes it. */
export interface PoolState {
  readonly name: string
  readonly network: string | undefined
  /** Channels it should have. */
  readonly desired: number
  readonly ready: PoolCondition
  readonly funded: PoolCondition
  /** Whether settlements find a channel, even if there are fewer than desired. */
  readonly isUsable: boolean
}

interface PoolCondition {
  readonly status: ConditionStatus
  /** One of the reasons of a ChannelPool. */
  readonly reason: string
  readonly message: string
}

/** With these reasons a pool is not Ready, but its channels can be leased. */
const usableReasons: ReadonlySet<string> = new Set<ChannelPoolReason>([
  'ChannelsMissing',
  'ChannelsQuarantined',
  'Provisioning',
  'Shrinking',
  'Adopting',
  'SponsorLow',
  'SponsorShort',
  // The pods have a schema that they work with: only the operator waits.
  'StoreSchemaOutdated',
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

/** In the order of `spec.networks`. */
export const poolStates = ({
  facilitator,
  pools,
}: Pick<ObservedFacilitator, 'facilitator' | 'pools'>): readonly PoolState[] =>
  facilitator.spec.networks.map(({ channelPool }) => stateOf(channelPool, pools.get(channelPool)))

function stateOf(name: string, pool: StoredChannelPool | undefined): PoolState {
  if (!pool) {
    const unknown = { name, network: undefined, desired: 0, isUsable: false }
    return { ...unknown, ready: missing, funded: notObserved }
  }
  const { status, spec } = pool
  const conditionOf = (type: string): PoolCondition =>
    findCondition(status?.conditions, type) ?? notObserved
  const ready = conditionOf('Ready')
  const hasChannels = (status?.channels?.ready ?? 0) > 0
  return {
    name,
    network: spec.network,
    desired: status?.channels?.wanted ?? spec.autoscale?.min ?? spec.channels,
    ready,
    funded: conditionOf('Funded'),
    isUsable: ready.status === 'True' || (hasChannels && usableReasons.has(ready.reason)),
  }
}

/** What of a pool its Facilitators depend on. A change of the rest, such as channels in use, does not reach them. */
export const relevantPoolState = (pool: StoredChannelPool): unknown => {
  const { ready, funded, desired, isUsable } = stateOf(pool.metadata.name, pool)
  const values = ({ status, reason, message }: PoolCondition) => [status, reason, message]
  return [pool.metadata.generation, values(ready), values(funded), desired, isUsable]
}
