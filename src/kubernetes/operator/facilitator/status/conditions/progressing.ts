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
  rolloutHeld,
} from './rule.ts'
import { migratingMessage, preflightRunningMessage, stalledMessage } from './sentences.ts'

const rules: readonly ConditionRule[] = [
  blocked('False'),
  rolloutHeld('False'),
  ({ plan }) => {
    if (!plan?.isHeld) return undefined
    const message =
      'New pods wait until fewer Facilitators roll out the same change. A change of the spec does not wait.'
    return { status: 'True', reason: 'RolloutWaiting', message }
  },
  ({ plan }) => {
    if (plan?.migration.state !== 'Missing' && plan?.migration.state !== 'Running') return undefined
    return { status: 'True', reason: 'Migrating', message: migratingMessage(plan) }
  },
  migrationFailed('False'),
  childFailed('False'),
  preflightFailed('False'),
  ({ plan }) => {
    const state = plan?.preflight?.result.state
    if (!plan || (state !== 'Missing' && state !== 'Running')) return undefined
    return { status: 'True', reason: 'PreflightRunning', message: preflightRunningMessage(plan) }
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
