import type { FacilitatorCondition } from '../../api/facilitator-conditions.ts'
import { degraded } from './conditions/degraded.ts'
import { channelsFunded, rpcReachable, storeReachable } from './conditions/dependencies.ts'
import { podTemplateAccepted } from './conditions/pod-template.ts'
import { progressing } from './conditions/progressing.ts'
import { ready } from './conditions/ready.ts'
import type { FacilitatorResult } from './converge.ts'

/** While the operator is paused: what it sees, and that it does nothing about it. */
export const pausedConditions = (
  conditions: readonly FacilitatorCondition[],
): readonly FacilitatorCondition[] =>
  conditions.map((condition) => {
    if (condition.type === 'Progressing') {
      return { type: 'Progressing', status: 'Unknown', reason: 'Paused', message: PAUSED }
    }
    return condition.type === 'Ready'
      ? { ...condition, message: `${condition.message} ${PAUSED}` }
      : condition
  })

const PAUSED = 'The annotation x402.svc.dev/paused is true: the operator changes nothing.'

/** All conditions but Reconciling and Stalled, Ready first, from one pass over the Facilitator. */
export const conditionsOf = (result: FacilitatorResult): readonly FacilitatorCondition[] => [
  { type: 'Ready', ...ready(result) },
  { type: 'Progressing', ...progressing(result) },
  { type: 'Degraded', ...degraded(result) },
  { type: 'ChannelsFunded', ...channelsFunded(result) },
  { type: 'RpcReachable', ...rpcReachable(result) },
  { type: 'StoreReachable', ...storeReachable(result) },
  { type: 'PodTemplateAccepted', ...podTemplateAccepted(result) },
]
