import type { FacilitatorResult } from '../../converge/converge.ts'
import { isRolledOut } from '../../observe/workload.ts'
import {
  blocked,
  type ConditionRule,
  type ConditionValue,
  childFailed,
  firstRule,
  migrationFailed,
  preflightFailed,
} from './rule.ts'
import {
  jobTrouble,
  migratingMessage,
  preflightRunningMessage,
  stalledMessage,
} from './sentences.ts'

const rules: readonly ConditionRule[] = [
  blocked('False'),
  ({ plan }) => {
    if (!plan?.isHeld) return undefined
    if (plan.heldBy === undefined) {
      const message =
        'New pods wait until fewer Facilitators roll out the same change. A change of the spec does not wait.'
      return { status: 'True', reason: 'RollingOut', message }
    }
    const message = `The same change stalled on Facilitator ${plan.heldBy}, so this one waits: see why its pods fail, correct its spec, or undo the change. A change of this spec does not wait.`
    return { status: 'True', reason: 'RolloutHeld', message }
  },
  (result) => {
    const { plan } = result
    if (plan?.migration.state !== 'Missing' && plan?.migration.state !== 'Running') return undefined
    const message = `${migratingMessage(plan)} New pods follow.${jobTrouble(result)}`
    return { status: 'True', reason: 'Migrating', message }
  },
  migrationFailed('False'),
  childFailed('False'),
  preflightFailed('False'),
  (result) => {
    const { plan } = result
    const state = plan?.preflight?.result.state
    if (!plan || (state !== 'Missing' && state !== 'Running')) return undefined
    const message = `${preflightRunningMessage(plan)}${jobTrouble(result)}`
    return { status: 'True', reason: 'PreflightRunning', message }
  },
  ({ parts }) => {
    const stalled = parts.find(({ workload }) => workload.isStalled)
    if (!stalled) return undefined
    const message = stalledMessage(stalled)
    return { status: 'False', reason: 'ProgressDeadlineExceeded', message }
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
