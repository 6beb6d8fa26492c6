import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import { labels } from '../../crd/names/marks.ts'
import { createInformer } from '../../runtime/cache/informer.ts'
import type { ResourceType } from '../../runtime/objects/resource.ts'
import { wellKnown } from '../../runtime/objects/well-known.ts'
import { attempt } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { facilitatorType } from '../cluster/kinds.ts'
import { required } from '../targets/choose.ts'
import { type DeploymentObject, type Rollout, rolloutOf } from './rollout.ts'

export interface RolloutWait {
  readonly name: string
  /** Value of the annotation. */
  readonly restartedAt: string
  /** Called with each new sentence. */
  readonly onProgress: (says: string) => void
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly stop: AbortSignal
}

const deploymentType = wellKnown.deployment as ResourceType as ResourceType<DeploymentObject>

/**
 * Watches the Deployments and the Facilitator until the rollout is done or has failed. Lost watches are resumed.
 * Throws NotHere, ClusterUnreachable, and the signal's reason.
 */
export async function waitForRollout(cluster: Cluster, wait: RolloutWait): Promise<Rollout> {
  const { client, namespace } = cluster
  const { name, restartedAt, onProgress, stop } = wait
  await requireRights(cluster, name)
  const ending = new AbortController()
  const around = { ...wait, client, namespaces: [namespace] }
  const deployments = createInformer({
    ...around,
    type: deploymentType,
    labelSelector: `${labels.facilitator}=${name}`,
  })
  const facilitators = createInformer({ ...around, type: facilitatorType })
  const { promise, resolve, reject } = Promise.withResolvers<Rollout>()
  let last = ''
  const look = () => {
    const facilitator = facilitators.store.get(`${namespace}/${name}`)
    const rollout = rolloutOf([...deployments.store.values()], facilitator, restartedAt)
    if (rollout.state !== 'going') return resolve(rollout)
    if (rollout.says !== last) onProgress(rollout.says)
    last = rollout.says
  }
  const onStop = () => reject(stop.reason)
  stop.addEventListener('abort', onStop, { once: true })
  if (stop.aborted) onStop()
  const running = [deployments.run(ending.signal), facilitators.run(ending.signal)]
  try {
    void Promise.all([deployments.synced, facilitators.synced]).then(() => {
      look()
      deployments.onChange(look)
      facilitators.onChange(look)
    })
    return await promise
  } finally {
    stop.removeEventListener('abort', onStop)
    ending.abort()
    await Promise.all(running)
  }
}

/** A watch would try again for ever where a right is missing. */
async function requireRights({ client, namespace }: Cluster, name: string): Promise<void> {
  const resource = 'deployments.apps'
  const read = () =>
    client.list(deploymentType, { namespace, labelSelector: `${labels.facilitator}=${name}` })
  required(
    await attempt({ verb: 'list and watch', resource, namespace }, read),
    `the Deployments of Facilitator ${name}`,
  )
}
