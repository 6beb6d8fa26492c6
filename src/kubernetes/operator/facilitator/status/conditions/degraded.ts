import { messageOf } from '../../../../../diagnosis/problems/problem.ts'
import { keeperFailure } from '../../../../../diagnosis/problems/upto.ts'
import type { FacilitatorResult } from '../../converge/converge.ts'
import {
  blocked,
  type ConditionRule,
  type ConditionValue,
  childFailed,
  firstRule,
  migrationFailed,
  podsFailing,
  preflightFailed,
  rolloutHeld,
} from './rule.ts'
import {
  failingJobPods,
  failingServicePods,
  poolNotReadyMessage,
  readyPods,
  stalledMessage,
  waitedForPool,
} from './sentences.ts'
import { termsInvalid } from './terms.ts'

const isTrue = (reason: ConditionValue['reason'], message: string): ConditionValue => ({
  status: 'True',
  reason,
  message,
})

const rules: readonly ConditionRule[] = [
  blocked('True'),
  rolloutHeld('True'),
  childFailed('True'),
  migrationFailed('True'),
  preflightFailed('True'),
  podsFailing('True', failingJobPods),
  (result) => {
    const stalled = result.parts.find(({ workload }) => workload.isStalled)
    if (stalled && waitedForPool(result)) return undefined
    return stalled && isTrue('ProgressDeadlineExceeded', stalledMessage(stalled))
  },
  podsFailing('True', failingServicePods),
  ({ parts }) => {
    // Missing pods are normal while a rollout is in progress.
    const incomplete = parts.find(
      ({ part, workload }) => workload.isComplete && workload.ready < part.replicas,
    )
    return incomplete && isTrue('ReplicasNotReady', `${readyPods(incomplete)}.`)
  },
  ({ pools }) => {
    const pool = pools.find(({ ready }) => ready.status !== 'True')
    return pool && isTrue('PoolNotReady', poolNotReadyMessage(pool))
  },
  ({ pools }) => {
    const pool = pools.find(({ degraded: { status } }) => status === 'True')
    const message = `ChannelPool ${pool?.name} serves, but differs from its spec: ${pool?.degraded.message}`
    return pool && isTrue('PoolDegraded', message)
  },
  ({ pools }) => {
    const small = pools.find(({ desired, replicas }) => desired < replicas)
    const whose = small && small.facilitators > 1 ? ` of ${small.facilitators} Facilitators` : ''
    const message = `ChannelPool ${small?.name} has ${small?.desired} channels for ${small?.replicas} replicas${whose}, so some replicas find none: raise its spec.channels.`
    return small && isTrue('PoolTooSmall', message)
  },
  (result) => {
    const invalid = termsInvalid(result)
    return invalid && { ...invalid, status: 'True' }
  },
  ({ keepers }) => {
    const failed = [...keepers.values()].find(({ error }) => error !== undefined)
    if (failed?.error === undefined) return undefined
    return isTrue('UptoKeeperFailed', messageOf(keeperFailure(failed.contract, failed.error)))
  },
  ({ plan }) =>
    plan?.unserved.includes('HTTPRoute')
      ? isTrue(
          'RouteUnavailable',
          'This cluster does not know HTTPRoute of gateway.networking.k8s.io/v1: install the Gateway API, or set route.ingressClassName instead.',
        )
      : undefined,
  ({ plan, observed }) => {
    const missing = plan?.unserved.filter((kind) => kind !== 'HTTPRoute') ?? []
    const { mode } = observed.facilitator.spec.monitoring
    if (missing.length === 0 || mode !== 'Always') return undefined
    const message = `This cluster does not know ${missing.join(' and ')}: install the Prometheus operator, or set monitoring.mode to Auto.`
    return isTrue('MonitoringUnavailable', message)
  },
]

/** Whether something differs from the spec, although payments may be served. */
export const degraded = (result: FacilitatorResult): ConditionValue =>
  firstRule(rules, result, {
    status: 'False',
    reason: 'AsSpecified',
    message: 'Nothing differs from the spec.',
  })
