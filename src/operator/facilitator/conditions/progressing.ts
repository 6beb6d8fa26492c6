import type { FacilitatorResult } from '../converge.ts'
import { isRolledOut } from '../workload.ts'
import { type ConditionRule, type ConditionValue, firstRule } from './rule.ts'
import {
  migratingMessage,
  migrationFailedMessage,
  migrationReason,
  stalledMessage,
} from './sentences.ts'

const rules: readonly ConditionRule[] = [
  ({ blocker }) => blocker && { status: 'False', reason: blocker.reason, message: blocker.message },
  ({ plan }) =>
    plan && (plan.migration.state === 'Missing' || plan.migration.state === 'Running')
      ? {
          status: 'True',
          reason: 'Migrating',
          message: `${migratingMessage(plan)} New pods follow.`,
        }
      : undefined,
  (result) =>
    result.plan?.migration.state === 'Failed'
      ? {
          status: 'False',
          reason: migrationReason(result),
          message: migrationFailedMessage(result),
        }
      : undefined,
  ({ failures: [failure] }) => failure && { status: 'False', ...failure },
  ({ parts }) => {
    const stalled = parts.find(({ workload }) => workload.isStalled)
    if (!stalled) return undefined
    const message = stalledMessage(stalled)
    return { status: 'False', reason: 'ProgressDeadlineExceeded', message }
  },
  ({ plan }) =>
    plan?.isHeld && {
      status: 'True',
      reason: 'RollingOut',
      message: 'New pods wait until fewer other Facilitators roll out.',
    },
  ({ parts }) => {
    const rolling = parts.find(({ part, workload }) => !isRolledOut(workload, part.replicas))
    if (!rolling) return undefined
    const { part, workload } = rolling
    const message = `${workload.updated} of ${part.replicas} ${part.component} pods run the latest spec, ${workload.ready} are ready.`
    return { status: 'True', reason: 'RollingOut', message }
  },
]

/** Whether a rollout or a migration is in progress. */
export const progressing = (result: FacilitatorResult): ConditionValue =>
  firstRule(rules, result, {
    status: 'False',
    reason: 'RolledOut',
    message: 'All pods run the latest spec.',
  })
