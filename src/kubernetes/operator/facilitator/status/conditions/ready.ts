import type { FacilitatorResult } from '../../converge/converge.ts'
import { type ConditionRule, type ConditionValue, firstRule } from './rule.ts'
import {
  failingJobPods,
  failingServicePods,
  migratingMessage,
  migrationFailedMessage,
  migrationReason,
  podsFailingMessage,
  readyPods,
  waitedForPool,
} from './sentences.ts'

const isDown = ({ parts }: FacilitatorResult): boolean => (parts[0]?.workload.ready ?? 0) === 0

/** Why no facilitator pod is ready. While one is, these do not stop payments. */
const reasonsToBeDown: readonly ConditionRule[] = [
  ({ blocker }) => blocker && { status: 'False', reason: blocker.reason, message: blocker.message },
  ({ failures: [failure] }) => failure && { status: 'False', ...failure },
  (result) =>
    result.plan?.migration.state === 'Failed'
      ? {
          status: 'False',
          reason: migrationReason(result),
          message: migrationFailedMessage(result),
        }
      : undefined,
  (result) => {
    const failing = failingJobPods(result)
    return failing.length > 0
      ? { status: 'False', reason: 'PodsFailing', message: podsFailingMessage(failing) }
      : undefined
  },
  ({ plan }) =>
    plan && plan.migration.state !== 'Succeeded' && !plan.isHeld
      ? { status: 'False', reason: 'Migrating', message: migratingMessage(plan) }
      : undefined,
  (result) => {
    const failing = failingServicePods(result).filter(
      ({ component }) => component === 'facilitator',
    )
    if (failing.length === 0) return undefined
    return { status: 'False', reason: 'PodsFailing', message: podsFailingMessage(failing) }
  },
  (result) => {
    const pool = waitedForPool(result)
    const message = `No facilitator pod is ready, because ChannelPool ${pool?.name} is not: ${pool?.ready.message}`
    return pool && { status: 'False', reason: 'PoolNotReady', message }
  },
  ({ parts: [first] }) =>
    first?.workload.isStalled
      ? {
          status: 'False',
          reason: 'ProgressDeadlineExceeded',
          message: `Deployment ${first.deployment} made no progress for five minutes, and no pod is ready.`,
        }
      : undefined,
]

const rules: readonly ConditionRule[] = [
  ({ blocker }) =>
    blocker?.stopsPayments
      ? { status: 'False', reason: blocker.reason, message: blocker.message }
      : undefined,
  ({ observed }) =>
    observed.facilitator.spec.replicas === 0
      ? {
          status: 'False',
          reason: 'ScaledToZero',
          message: 'The spec asks for no replicas, so no payment is served: raise spec.replicas.',
        }
      : undefined,
  (result) => {
    if (!isDown(result)) return undefined
    const message = 'No facilitator pod is ready yet.'
    return firstRule(reasonsToBeDown, result, {
      status: 'False',
      reason: 'ReplicasNotReady',
      message,
    })
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
      ? { status: 'True', reason: 'ReplicasNotReady', message: `${readyPods(first)}.` }
      : undefined,
]

/** Whether payments can be verified and settled on every network. */
export function ready(result: FacilitatorResult): ConditionValue {
  const { parts, pools } = result
  const networks = pools.map(({ network }) => network).join(' and ')
  const message = parts[0] ? `${readyPods(parts[0])} on ${networks}.` : ''
  return firstRule(rules, result, { status: 'True', reason: 'Serving', message })
}
