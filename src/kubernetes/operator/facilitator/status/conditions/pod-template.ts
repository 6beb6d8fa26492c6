import type { FacilitatorResult } from '../../converge/converge.ts'
import { desiredFacilitator } from '../../desired/desired.ts'
import { templateOf } from '../../render/pods/deployment.ts'
import { partsOf } from '../../spec/parts.ts'
import { type ConditionValue, notObserved } from './rule.ts'

/** Whether pods have everything that spec.podTemplate asks for. Where no pods can be rendered, the last value stays. */
export function podTemplateAccepted({ observed }: FacilitatorResult): ConditionValue {
  const decision = desiredFacilitator(observed)
  const { facilitator } = observed
  if ('blocker' in decision) {
    const last = facilitator.status?.conditions?.find(({ type }) => type === 'PodTemplateAccepted')
    if (!last) return notObserved
    const { status, reason, message } = last
    return { status, reason, message } as ConditionValue
  }
  const overridden = partsOf(facilitator).flatMap(
    (part) => templateOf(part, decision.desired).overridden,
  )
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
