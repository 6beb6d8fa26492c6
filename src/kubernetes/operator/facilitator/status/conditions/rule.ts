import { firstMatch } from '../../../../../platform/core/first-match.ts'
import type { FacilitatorCondition } from '../../../../crd/facilitator/conditions.ts'
import { NOT_OBSERVED } from '../../../reporting/report.ts'
import type { FacilitatorResult } from '../../converge/converge.ts'

/** Status, reason and message of a condition. */
export type ConditionValue = Omit<FacilitatorCondition, 'type'>

/** One case of a condition; undefined when the result is not that case. */
export type ConditionRule = (result: FacilitatorResult) => ConditionValue | undefined

/** First match wins. */
export const firstRule = (
  rules: readonly ConditionRule[],
  result: FacilitatorResult,
  otherwise: ConditionValue,
): ConditionValue => firstMatch(rules, (rule) => rule(result)) ?? otherwise

export const notObserved: ConditionValue = {
  status: 'Unknown',
  reason: 'NotObserved',
  message: NOT_OBSERVED,
}
