import { type Check, firstOf, type Judgement, type Seen } from '../seen.ts'
import { isRolledOut } from '../workload.ts'
import { migrationReason, migrationWords } from './words.ts'

const checks: readonly Check[] = [
  ({ blocker }) => blocker && { status: 'False', reason: blocker.reason, message: blocker.message },
  ({ plan }) =>
    plan && (plan.migration.state === 'Missing' || plan.migration.state === 'Running')
      ? {
          status: 'True',
          reason: 'Migrating',
          message: `Job ${plan.job} brings the database up to this version; pods follow.`,
        }
      : undefined,
  (seen) =>
    seen.plan?.migration.state === 'Failed'
      ? { status: 'False', reason: migrationReason(seen), message: migrationWords(seen) }
      : undefined,
  ({ troubles: [trouble] }) => trouble && { status: 'False', ...trouble },
  ({ parts }) => {
    const stalled = parts.find(({ workload }) => workload.isStalled)
    if (!stalled) return undefined
    const message = `Deployment ${stalled.deployment} made no progress for five minutes: status.failingPods says which pods keep it.`
    return { status: 'False', reason: 'ProgressDeadlineExceeded', message }
  },
  ({ plan }) =>
    plan?.isHeld && {
      status: 'True',
      reason: 'RollingOut',
      message: 'New pods wait until fewer other Facilitators get theirs.',
    },
  ({ parts }) => {
    const rolling = parts.find(({ part, workload }) => !isRolledOut(workload, part.replicas))
    if (!rolling) return undefined
    const { part, workload } = rolling
    const message = `${workload.updated} of ${part.replicas} ${part.component} pods are of the newest kind, ${workload.ready} serve.`
    return { status: 'True', reason: 'RollingOut', message }
  },
]

/** Whether a rollout or a migration is under way. */
export const judgeProgressing = (seen: Seen): Judgement =>
  firstOf(checks, seen, {
    status: 'False',
    reason: 'RolledOut',
    message: 'Every pod is of the newest kind.',
  })
