import type { FacilitatorCondition } from '../../../../crd/facilitator/conditions.ts'
import type { FacilitatorResult } from '../../converge/converge.ts'
import { degraded } from './degraded.ts'
import { channelsFunded, rpcReachable, storeReachable } from './dependencies.ts'
import { podTemplateAccepted } from './pod-template.ts'
import { progressing } from './progressing.ts'
import { ready } from './ready.ts'

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
