import type { ChannelPool } from '../../crd/channel-pool.ts'
import type { Facilitator } from '../../crd/facilitator.ts'
import { GROUP, kinds, VERSION } from '../../crd/names/group.ts'
import type { ResourceType } from '../../runtime/objects/resource.ts'

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
