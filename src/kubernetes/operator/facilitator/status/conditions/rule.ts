import { firstMatch } from '../../../../../platform/core/language/first-match.ts'
import type { FacilitatorCondition } from '../../../../crd/facilitator/conditions.ts'
import type { Facilitator } from '../../../../crd/facilitator.ts'
import { NOT_OBSERVED } from '../../../reporting/report.ts'
import type { FailingPod } from '../../../watches/failing-pods.ts'
import type { FacilitatorResult } from '../../converge/converge.ts'
import type { FacilitatorPlan } from '../../plan/plan.ts'
import {
  migrationFailedMessage,
  migrationReason,
  podsFailingMessage,
  preflightFailedMessage,
} from './sentences.ts'

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

/** The condition that the status has; undefined before the first. */
export function lastOf(
  { status }: Facilitator,
  name: FacilitatorCondition['type'],
): ConditionValue | undefined {
  const last = status?.conditions?.find(({ type }) => type === name)
  if (!last) return undefined
  const { status: is, reason, message } = last
  return { status: is, reason, message } as ConditionValue
}

export const notObserved: ConditionValue = {
  status: 'Unknown',
  reason: 'NotObserved',
  message: NOT_OBSERVED,
}

/* Cases that several conditions have, with the status that each gives them. */

type SharedRule = (status: ConditionValue['status']) => ConditionRule

export const blocked: SharedRule =
  (status) =>
  ({ blocker }) =>
    blocker && { status, reason: blocker.reason, message: blocker.message }

export const childFailed: SharedRule =
  (status) =>
  ({ failures: [failure] }) =>
    failure && { status, ...failure }

export const migrationFailed: SharedRule = (status) => (result) =>
  result.plan?.migration.state === 'Failed'
    ? { status, reason: migrationReason(result), message: migrationFailedMessage(result) }
    : undefined

/** The database has not the schema of the image yet, and the pass may change that. */
export const migrating =
  (status: ConditionValue['status'], messageOf: (plan: FacilitatorPlan) => string): ConditionRule =>
  ({ plan }) =>
    plan && plan.migration.state !== 'Succeeded' && !plan.isHeld
      ? { status, reason: 'Migrating', message: messageOf(plan) }
      : undefined

/** The same change has failed on another Facilitator of the namespace. */
export const rolloutHeld: SharedRule =
  (status) =>
  ({ plan }) => {
    if (plan?.heldBy === undefined) return undefined
    const message = `The same change stalled on Facilitator ${plan.heldBy}, so this one waits: see why with kubectl svc status ${plan.heldBy}, then correct its spec or undo the change. A change of this spec does not wait.`
    return { status, reason: 'RolloutHeld', message }
  }

export const preflightFailed: SharedRule = (status) => (result) =>
  result.plan?.preflight?.result.state === 'Failed' && !result.plan.isHeld
    ? { status, reason: 'PreflightFailed', message: preflightFailedMessage(result) }
    : undefined

export const podsFailing =
  (
    status: ConditionValue['status'],
    podsOf: (result: FacilitatorResult) => readonly FailingPod[],
  ): ConditionRule =>
  (result) => {
    const failing = podsOf(result)
    if (failing.length === 0) return undefined
    return { status, reason: 'PodsFailing', message: podsFailingMessage(failing) }
  }
