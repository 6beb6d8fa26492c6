import type { FacilitatorCondition } from '../../../../crd/facilitator/conditions.ts'
import { PAUSED } from '../../../reporting/report.ts'
import type { FacilitatorResult } from '../../converge/converge.ts'
import { degraded } from './degraded.ts'
import { channelsFunded, rpcReachable, storeReachable } from './dependencies.ts'
import { progressing } from './progressing.ts'
import { ready } from './ready.ts'
import { type ConditionValue, lastOf, notObserved } from './rule.ts'
import { termsPayable } from './terms.ts'

/** While the operator is paused: what it sees, and that it does nothing about it. */
export const pausedConditions = (
  conditions: readonly FacilitatorCondition[],
): readonly FacilitatorCondition[] =>
  conditions.map((condition) =>
    condition.type === 'Progressing'
      ? { type: 'Progressing', status: 'Unknown', reason: 'Paused', message: PAUSED }
      : condition,
  )

/** All conditions but Reconciling and Stalled, Ready first, from one pass over the Facilitator. */
export const conditionsOf = (result: FacilitatorResult): readonly FacilitatorCondition[] => [
  { type: 'Ready', ...ready(result) },
  { type: 'Progressing', ...progressing(result) },
  { type: 'Degraded', ...degraded(result) },
  { type: 'ChannelsFunded', ...channelsFunded(result) },
  { type: 'RpcReachable', ...rpcReachable(result) },
  { type: 'StoreReachable', ...storeReachable(result) },
  { type: 'TermsPayable', ...termsPayable(result) },
  { type: 'PodTemplateAccepted', ...podTemplateAccepted(result) },
]

/** Whether pods have everything that spec.podTemplate asks for. Where no pods can be rendered, the last value stays. */
function podTemplateAccepted({ observed, rendered }: FacilitatorResult): ConditionValue {
  if (!rendered) return lastOf(observed.facilitator, 'PodTemplateAccepted') ?? notObserved
  const overridden = rendered.rollouts.flatMap((rollout) => rollout.overridden)
  if (overridden.length === 0) {
    const message = 'Pods have everything that spec.podTemplate asks for.'
    return { status: 'True', reason: 'TemplateApplied', message }
  }
  const members = [...new Set(overridden)].sort().slice(0, MAX_MEMBERS).join(', ')
  return {
    status: 'False',
    reason: 'TemplateOverridden',
    message: `The operator keeps its own values of these members of spec.podTemplate: ${members}. Remove them from the spec.`,
  }
}

/** A message has at most 32 KiB. */
const MAX_MEMBERS = 16
