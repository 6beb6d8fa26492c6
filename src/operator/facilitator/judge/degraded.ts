import { type Check, firstOf, type Judgement, type Seen } from '../seen.ts'
import {
  failingServices,
  failingWords,
  migrationReason,
  migrationWords,
  servingWords,
} from './words.ts'

const isTrue = (reason: Judgement['reason'], message: string): Judgement => ({
  status: 'True',
  reason,
  message,
})

const checks: readonly Check[] = [
  ({ blocker }) => blocker && isTrue(blocker.reason, blocker.message),
  ({ troubles: [trouble] }) => trouble && isTrue(trouble.reason, trouble.message),
  (seen) =>
    seen.plan?.migration.state === 'Failed'
      ? isTrue(migrationReason(seen), migrationWords(seen))
      : undefined,
  ({ parts }) => {
    const stalled = parts.find(({ workload }) => workload.isStalled)
    if (!stalled) return undefined
    const message = `Deployment ${stalled.deployment} made no progress for five minutes: status.failingPods says which pods keep it.`
    return isTrue('ProgressDeadlineExceeded', message)
  },
  (seen) => {
    const failing = failingServices(seen)
    return failing.length > 0 ? isTrue('PodsFailing', failingWords(failing)) : undefined
  },
  ({ parts }) => {
    // A rollout that is under way is none of the spec's failures.
    const few = parts.find(
      ({ part, workload }) => workload.isOver && workload.ready < part.replicas,
    )
    return few && isTrue('ReplicasNotReady', `${servingWords(few)}.`)
  },
  ({ pools }) => {
    const pool = pools.find(({ ready }) => ready.status !== 'True')
    const message = `ChannelPool ${pool?.name} is not ready: ${pool?.ready.message}`
    return pool && isTrue('PoolNotReady', message)
  },
  ({ pools, view }) => {
    const { replicas } = view.facilitator.spec
    const small = pools.find(({ wanted }) => wanted < replicas)
    const message = `ChannelPool ${small?.name} has ${small?.wanted} channels for ${replicas} replicas, some of which will find none: raise its spec.channels.`
    return small && isTrue('PoolTooSmall', message)
  },
  ({ plan }) =>
    plan?.unknown.includes('HTTPRoute')
      ? isTrue(
          'RouteUnavailable',
          'This cluster does not know HTTPRoute of gateway.networking.k8s.io/v1: install the Gateway API, or set route.ingressClassName instead.',
        )
      : undefined,
  ({ plan, view }) => {
    const missing = plan?.unknown.filter((kind) => kind !== 'HTTPRoute') ?? []
    if (missing.length === 0 || view.facilitator.spec.monitoring.mode !== 'Always') return undefined
    const message = `This cluster does not know ${missing.join(' and ')}: install the Prometheus operator, or set monitoring.mode to Auto.`
    return isTrue('MonitoringUnavailable', message)
  },
]

/** Whether something is not as the spec asks, although payments may be served. */
export const judgeDegraded = (seen: Seen): Judgement =>
  firstOf(checks, seen, {
    status: 'False',
    reason: 'AsSpecified',
    message: 'Nothing differs from the spec.',
  })
