import { labels } from '../../crd/names/marks.ts'
import type { KubeObject } from '../../runtime/objects/resource.ts'
import { wellKnown } from '../../runtime/objects/well-known.ts'
import { type Attempt, attempt } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'

export interface PodObject extends KubeObject {
  readonly spec: { readonly nodeName?: string; readonly containers: readonly Container[] }
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly containerStatuses?: readonly ContainerStatus[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
  }
}

interface Container {
  readonly name: string
  readonly image?: string
}

interface ContainerStatus {
  readonly name: string
  readonly restartCount?: number
}

/** A pod of a Facilitator, for the page. */
export interface PodFacts {
  readonly name: string
  /** Its component label: facilitator, catalog, explorer, or that of a Job. */
  readonly component: string
  readonly ready: boolean
  readonly ending: boolean
  readonly restarts: number
  /** Image of its main container, which has the name of the component or is the first one. */
  readonly image: string
}

export async function listPods(
  { client }: Cluster,
  namespace: string,
  labelSelector: string,
): Promise<Attempt<readonly PodObject[]>> {
  return attempt({ verb: 'list', resource: 'pods', namespace }, async () => {
    const { items } = await client.list(wellKnown.pod, { namespace, labelSelector })
    return items as readonly KubeObject[] as readonly PodObject[]
  })
}

export const podsOf = (name: string): string => `${labels.facilitator}=${name}`

export function podFacts(pod: PodObject): PodFacts {
  const { containerStatuses = [], conditions = [] } = pod.status ?? {}
  const component = pod.metadata.labels?.[labels.component] ?? ''
  const { containers } = pod.spec
  const main = containers.find(({ name }) => name === component) ?? containers[0]
  return {
    name: pod.metadata.name,
    component,
    ready: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    ending: pod.metadata.deletionTimestamp !== undefined,
    restarts: containerStatuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    image: main?.image ?? '',
  }
}
