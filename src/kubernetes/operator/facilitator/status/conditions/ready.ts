import type { ChannelPoolReason } from '../../../../crd/channel-pool/conditions.ts'
import type { ConditionStatus } from '../../../../runtime/objects/conditions.ts'
import type { FacilitatorResult } from '../../converge/converge.ts'
import type { PoolState } from '../../observe/pool-state.ts'
import { serviceName } from '../../render/service.ts'
import { servedNetworks } from '../mounted-sponsors.ts'
import { hasOwnService } from '../own-objects.ts'
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
import { termsUnpayable } from './terms.ts'

const isDown = ({ parts }: FacilitatorResult): boolean => (parts[0]?.workload.ready ?? 0) === 0

/** Why no facilitator pod is ready. While one is, these do not stop payments. */
const reasonsToBeDown: readonly ConditionRule[] = [
  ({ observed }) =>
    observed.facilitator.spec.replicas === 0
      ? {
          status: 'False',
          reason: 'ScaledToZero',
          message: 'The spec asks for no replicas, so no payment is served: raise spec.replicas.',
        }
      : undefined,
  blocked('False'),
  childFailed('False'),
  migrationFailed('False'),
  podsFailing('False', failingJobPods),
  migrating(
    'False',
    ({ job }) => `No facilitator pod is ready before Job ${job} has migrated the database.`,
  ),
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

const unserved: ConditionRule = (result) => {
  const { blocker, parts, pools } = result
  const served = servedNetworks(parts[0]?.live)
  const known = pools.map(({ network }) => network)
  // The seed of a pool that is gone: nothing else says of which network it was.
  const others = served.filter((network) => !known.includes(network)).length
  const missing = pools.filter(({ network }) => network === undefined)
  const [pool] = [
    ...missing.slice(others),
    ...pools.filter(({ network }) => network && !served.some((each) => each === network)),
  ]
  if (!pool) return undefined
  if (blocker) return blocked('False')(result)
  const message = `No facilitator pod serves ${pool.network ?? `ChannelPool ${pool.name}`} yet.`
  return { status: 'False', reason: 'ReplicasNotReady', message }
}

const foreignService: ConditionRule = (result) => {
  if (hasOwnService(result, 'facilitator')) return undefined
  const name = serviceName(result.observed.facilitator, 'facilitator')
  const failure = result.failures.find(({ object }) => object === `Service ${name}`)
  if (failure) return { status: 'False', reason: failure.reason, message: failure.message }
  const message = `The Facilitator has no Service ${name} of its own, so no payment reaches its pods.`
  return { status: 'False', reason: 'ServiceMissing', message }
}

/** Why a pool of the spec settles nothing now, although pods serve its network. */
const poolInTheWay: ConditionRule = (result) => {
  const { blocker, pools } = result
  const pool = pools.find((each) => settlesNow(each, result) !== 'True')
  if (!pool) return undefined
  const status = settlesNow(pool, result) === 'Unknown' ? 'Unknown' : 'False'
  if (pool.network === undefined && blocker) return blocked(status)(result)
  return { status, reason: 'PoolNotReady', message: poolNotReadyMessage(pool) }
}

/** Pods that were replaced since the Secret got another seed have that one, and whether its sponsor has channels is not known. */
function settlesNow({ ready, settles }: PoolState, { plan }: FacilitatorResult): ConditionStatus {
  const changed: ChannelPoolReason = 'SponsorChanged'
  const isReplaced = plan !== undefined && plan.replacing.length === 0
  return ready.reason === changed && settles === 'True' && isReplaced ? 'Unknown' : settles
}

const rules: readonly ConditionRule[] = [
  (result) => {
    if (!isDown(result)) return undefined
    const message = 'No facilitator pod is ready yet.'
    return firstRule(reasonsToBeDown, result, {
      status: 'False',
      reason: 'ReplicasNotReady',
      message,
    })
  },
  foreignService,
  unserved,
  poolInTheWay,
  termsUnpayable,
  ({ parts: [first] }) =>
    first && first.workload.ready < first.part.replicas
      ? { status: 'True', reason: 'ReplicasNotReady', message: `${readyPods(first)}.` }
      : undefined,
]

/**
 * Whether payments can be made now through the Facilitator's own Service, on every network of the spec: the Service is its own, a
 * facilitator pod is ready, pods mount the seed of each network, each pool has a channel and a sponsor that can pay, and it is not known
 * of every asset and scheme that no payment can be made. Nothing else counts: what the operator cannot change, or waits for, is Degraded, Progressing or Stalled. This is the only place that decides it.
 */
export function ready(result: FacilitatorResult): ConditionValue {
  const { parts, pools } = result
  const networks = pools.map(({ network, name }) => network ?? name).join(' and ')
  const message = parts[0] ? `${readyPods(parts[0])} on ${networks}.` : ''
  return firstRule(rules, result, { status: 'True', reason: 'Serving', message })
}
