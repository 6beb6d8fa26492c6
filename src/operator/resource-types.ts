import type { ChannelPool } from '../api/channel-pool.ts'
import type { Facilitator } from '../api/facilitator.ts'
import { GROUP, kinds, VERSION } from '../api/group.ts'
import type { ResourceType } from '../kube/resource.ts'

export const channelPoolType: ResourceType<ChannelPool> = {
  group: GROUP,
  version: VERSION,
  plural: kinds.ChannelPool.plural,
  kind: kinds.ChannelPool.kind,
  namespaced: true,
}

export const facilitatorType: ResourceType<Facilitator> = {
  group: GROUP,
  version: VERSION,
  plural: kinds.Facilitator.plural,
  kind: kinds.Facilitator.kind,
  namespaced: true,
}
