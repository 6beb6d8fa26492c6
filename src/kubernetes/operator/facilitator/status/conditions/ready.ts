import type { FacilitatorResult } from '../../converge/converge.ts'
import {
  blocked,
  type ConditionRule,
  type ConditionValue,
  childFailed,
  firstRule,
  migrating,
  migrationFailed,
  podsFailing,
} from './rule.ts'
import {
  failingJobPods,
  failingServicePods,
  poolNotReadyMessage,
  readyPods,
  waitedForPool,
} from './sentences.ts'

const isDown = ({ parts }: FacilitatorResult): boolean => (parts[0]?.workload.ready ?? 0) === 0

/** Why no facilitator pod is ready. While one is, these do not stop payments. */
const reasonsToBeDown: readonly ConditionRule[] = [
  blocked('False'),
  childFailed('False'),
  migrationFailed('False'),
  podsFailing('False', failingJobPods),
  migrating('False'),
  podsFailing('False', (result) =>
    failingServicePods(result).filter(({ component }) => component === 'facilitator'),
  ),
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
  (result) => (result.blocker?.stopsPayments ? blocked('False')(result) : undefined),
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
    const status = pool.ready.status === 'Unknown' ? 'Unknown' : 'False'
    return { status, reason: 'PoolNotReady', message: poolNotReadyMessage(pool) }
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
