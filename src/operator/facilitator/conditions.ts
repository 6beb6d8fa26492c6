import type { FacilitatorCondition } from '../../api/facilitator-conditions.ts'
import { degraded } from './conditions/degraded.ts'
import { channelsFunded, rpcReachable, storeReachable } from './conditions/dependencies.ts'
import { progressing } from './conditions/progressing.ts'
import { ready } from './conditions/ready.ts'
import type { FacilitatorResult } from './converge.ts'

/** All six conditions, Ready first, from one pass over the Facilitator. */
export const conditionsOf = (result: FacilitatorResult): readonly FacilitatorCondition[] => [
  { type: 'Ready', ...ready(result) },
  { type: 'Progressing', ...progressing(result) },
  { type: 'Degraded', ...degraded(result) },
  { type: 'ChannelsFunded', ...channelsFunded(result) },
  { type: 'RpcReachable', ...rpcReachable(result) },
  { type: 'StoreReachable', ...storeReachable(result) },
]
