import { type Check, firstOf, type Judgement, type Seen } from '../seen.ts'
import {
  failingServices,
  failingWords,
  migrationReason,
  migrationWords,
  servingWords,
} from './words.ts'

const isDown = ({ parts }: Seen): boolean => (parts[0]?.workload.ready ?? 0) === 0

/** What keeps the pods from being there; it matters to payments only while none serves. */
const reasonsToBeDown: readonly Check[] = [
  ({ blocker }) => blocker && { status: 'False', reason: blocker.reason, message: blocker.message },
  ({ troubles: [trouble] }) => trouble && { status: 'False', ...trouble },
  (seen) =>
    seen.plan?.migration.state === 'Failed'
      ? { status: 'False', reason: migrationReason(seen), message: migrationWords(seen) }
      : undefined,
  ({ plan }) =>
    plan && plan.migration.state !== 'Succeeded'
      ? {
          status: 'False',
          reason: 'Migrating',
          message: `Job ${plan.job} brings the database up to this version.`,
        }
      : undefined,
  (seen) => {
    const failing = failingServices(seen).filter(({ component }) => component === 'facilitator')
    if (failing.length === 0) return undefined
    return { status: 'False', reason: 'PodsFailing', message: failingWords(failing) }
  },
  ({ parts: [first] }) =>
    first?.workload.isStalled
      ? {
          status: 'False',
          reason: 'ProgressDeadlineExceeded',
          message: `Deployment ${first.deployment} made no progress for five minutes, and no pod serves.`,
        }
      : undefined,
]

const checks: readonly Check[] = [
  ({ blocker }) =>
    blocker?.stopsPayments
      ? { status: 'False', reason: blocker.reason, message: blocker.message }
      : undefined,
  ({ view }) =>
    view.facilitator.spec.replicas === 0
      ? {
          status: 'False',
          reason: 'ScaledToZero',
          message: 'No replicas are wanted, so nothing is served: raise spec.replicas.',
        }
      : undefined,
  (seen) => {
    if (!isDown(seen)) return undefined
    const message = 'No facilitator pod serves yet.'
    return firstOf(reasonsToBeDown, seen, { status: 'False', reason: 'ReplicasNotReady', message })
  },
  ({ pools }) => {
    const pool = pools.find(({ isUsable }) => !isUsable)
    if (!pool) return undefined
    const { status, message } = pool.ready
    return {
      status: status === 'Unknown' ? 'Unknown' : 'False',
      reason: 'PoolNotReady',
      message: `ChannelPool ${pool.name} is not ready: ${message}`,
    }
  },
  ({ parts: [first] }) =>
    first && first.workload.ready < first.part.replicas
      ? { status: 'True', reason: 'ReplicasNotReady', message: `${servingWords(first)}.` }
      : undefined,
]

/** Whether payments can be verified and settled on every network. */
export function judgeReady(seen: Seen): Judgement {
  const { parts, pools } = seen
  const networks = pools.map(({ network }) => network).join(' and ')
  const words = parts[0] ? `${servingWords(parts[0])} ${networks}.` : ''
  return firstOf(checks, seen, { status: 'True', reason: 'Serving', message: words })
}
