import type { FacilitatorConditionType } from '../../api/facilitator-conditions.ts'
import { judgeDegraded } from './judge/degraded.ts'
import { judgeChannelsFunded, judgeRpcReachable, judgeStoreReachable } from './judge/outside.ts'
import { judgeProgressing } from './judge/progressing.ts'
import { judgeReady } from './judge/ready.ts'
import type { Judgement, Seen } from './seen.ts'

export interface Observed extends Judgement {
  readonly type: FacilitatorConditionType
}

/** The six conditions of a Facilitator, Ready first. */
export const judgeFacilitator = (seen: Seen): readonly Observed[] => [
  { type: 'Ready', ...judgeReady(seen) },
  { type: 'Progressing', ...judgeProgressing(seen) },
  { type: 'Degraded', ...judgeDegraded(seen) },
  { type: 'ChannelsFunded', ...judgeChannelsFunded(seen) },
  { type: 'RpcReachable', ...judgeRpcReachable(seen) },
  { type: 'StoreReachable', ...judgeStoreReachable(seen) },
]
