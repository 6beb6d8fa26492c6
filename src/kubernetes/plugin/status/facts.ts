import type { Attempt } from '../cluster/attempt.ts'
import { attempt, valueIn } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'
import {
  type FacilitatorObject,
  facilitatorType,
  type PoolObject,
  poolType,
  resourceOf,
} from '../cluster/kinds.ts'
import { type EventFacts, listEvents } from './events.ts'
import { type PodHealth, readHealth } from './health.ts'
import { listPods, type PodFacts, podFacts, podsOf } from './pods.ts'

/** Everything that `status` shows of one Facilitator. What could not be read says why. */
export interface FacilitatorFacts {
  readonly facilitator: FacilitatorObject
  readonly pools: readonly PoolFacts[]
  readonly pods: Attempt<readonly PodFacts[]>
  readonly health: Attempt<PodHealth>
  /** Newest first. */
  readonly events: Attempt<readonly EventFacts[]>
}

export interface PoolFacts {
  readonly name: string
  readonly pool: Attempt<PoolObject>
}

/** Reads all that belongs to a Facilitator. Throws ClusterUnreachable. */
export async function readFacts(
  cluster: Cluster,
  facilitator: FacilitatorObject,
): Promise<FacilitatorFacts> {
  const namespace = facilitator.metadata.namespace ?? cluster.namespace
  const { name } = facilitator.metadata
  const poolNames = (facilitator.spec.networks ?? []).map(({ channelPool }) => channelPool)
  const [pools, podObjects] = await Promise.all([
    Promise.all(
      poolNames.map(async (pool) => ({
        name: pool,
        pool: await getPool(cluster, namespace, pool),
      })),
    ),
    listPods(cluster, namespace, podsOf(name)),
  ])
  const pods: Attempt<readonly PodFacts[]> =
    'value' in podObjects ? { value: podObjects.value.map(podFacts) } : podObjects
  const isOurs = (kind: string, of: string) =>
    (kind === 'Facilitator' && of === name) ||
    (kind === 'ChannelPool' && poolNames.includes(of)) ||
    isChild(kind, of, name)
  const [health, events] = await Promise.all([
    healthOf(cluster, namespace, pods),
    listEvents(cluster, namespace, isOurs),
  ])
  return { facilitator, pools, pods, health, events }
}

/** Children and what their controllers make start with the Facilitator's name; long names are cut. */
const isChild = (kind: string, name: string, facilitator: string): boolean =>
  ['Pod', 'Deployment', 'ReplicaSet', 'Job', 'HorizontalPodAutoscaler'].includes(kind) &&
  name.startsWith(`${facilitator}-`)

export const getPool = (
  { client }: Cluster,
  namespace: string,
  name: string,
): Promise<Attempt<PoolObject>> =>
  attempt({ verb: 'get', resource: resourceOf(poolType), namespace }, () =>
    client.get(poolType, { namespace, name }),
  )

export const getFacilitator = (
  { client }: Cluster,
  namespace: string,
  name: string,
): Promise<Attempt<FacilitatorObject>> =>
  attempt({ verb: 'get', resource: resourceOf(facilitatorType), namespace }, () =>
    client.get(facilitatorType, { namespace, name }),
  )

export const listFacilitators = (
  { client }: Cluster,
  namespace: string,
): Promise<Attempt<readonly FacilitatorObject[]>> =>
  attempt({ verb: 'list', resource: resourceOf(facilitatorType), namespace }, async () => {
    const { items } = await client.list(facilitatorType, { namespace })
    return items
  })

/** Every replica reports the same of the store, so one that is ready is enough. */
async function healthOf(
  cluster: Cluster,
  namespace: string,
  pods: FacilitatorFacts['pods'],
): Promise<Attempt<PodHealth>> {
  const all = valueIn(pods)
  if (!all) return { why: 'the pods are not readable' }
  const [pod] = all.filter(
    ({ component, ready, ending }) => component === 'facilitator' && ready && !ending,
  )
  if (!pod) return { why: 'no facilitator pod is ready' }
  return readHealth(cluster, namespace, pod.name)
}
