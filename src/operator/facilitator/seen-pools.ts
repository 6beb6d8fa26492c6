import type { ChannelPool } from '../../api/channel-pool.ts'
import type { ChannelPoolReason } from '../../api/channel-pool-conditions.ts'
import { findCondition } from '../../kube/conditions.ts'
import type { PoolSays, SeenPool } from './seen.ts'
import type { FacilitatorView } from './view.ts'

/** With these a pool is not Ready, and still leases channels. */
const serving: ReadonlySet<string> = new Set<ChannelPoolReason>([
  'ChannelsMissing',
  'ChannelsQuarantined',
  'Provisioning',
  'Shrinking',
  'Adopting',
  'SponsorLow',
  'SponsorShort',
])

const notThere: PoolSays = {
  status: 'False',
  reason: 'PoolMissing',
  message: 'There is no such ChannelPool.',
}
const notObserved: PoolSays = {
  status: 'Unknown',
  reason: 'NotObserved',
  message: 'The operator has not looked yet.',
}

export const seenPools = ({
  facilitator,
  pools,
}: Pick<FacilitatorView, 'facilitator' | 'pools'>): readonly SeenPool[] =>
  facilitator.spec.networks.map(({ channelPool }) => seenPool(channelPool, pools.get(channelPool)))

function seenPool(name: string, pool: ChannelPool | undefined): SeenPool {
  if (!pool) {
    const unknown = { name, network: undefined, wanted: 0, isUsable: false }
    return { ...unknown, ready: notThere, funded: notObserved }
  }
  const { status, spec } = pool
  const says = (type: string): PoolSays => findCondition(status?.conditions, type) ?? notObserved
  const ready = says('Ready')
  const hasChannels = (status?.channels?.ready ?? 0) > 0
  return {
    name,
    network: spec.network,
    wanted: status?.channels?.wanted ?? spec.autoscale?.min ?? spec.channels,
    ready,
    funded: says('Funded'),
    isUsable: ready.status === 'True' || (hasChannels && serving.has(ready.reason)),
  }
}

/** What of a pool matters to the Facilitators in front of it; how busy it is does not. */
export const matterOfPool = (pool: ChannelPool): unknown => {
  const { ready, funded, wanted, isUsable } = seenPool(pool.metadata.name, pool)
  const words = ({ status, reason, message }: PoolSays) => [status, reason, message]
  return [pool.metadata.generation, words(ready), words(funded), wanted, isUsable]
}
