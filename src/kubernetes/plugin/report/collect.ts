import { labels } from '../../crd/names/marks.ts'
import type { KubeObject, ResourceType } from '../../runtime/objects/resource.ts'
import { wellKnown } from '../../runtime/objects/well-known.ts'
import { type Attempt, attempt, valueIn } from '../cluster/attempt.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { type FacilitatorObject, type PoolObject, resourceOf } from '../cluster/kinds.ts'
import { listEvents } from '../status/events.ts'
import { getPool } from '../status/facts.ts'
import { ADMIN_PORT, askPod, HTTP_PORT } from '../status/health.ts'
import { listPods, type PodObject, podsOf } from '../status/pods.ts'
import type { Collected } from './collected.ts'
import { podLogs } from './logs.ts'

/* Reads the content of a report. Nothing is redacted here. No Secret is read. */

export interface ReportScope {
  readonly facilitator: FacilitatorObject
  /** @default found by its labels, in all namespaces */
  readonly operatorNamespace: string | undefined
}

/** How many pods have their logs and metrics read: a person has to be able to send the report. */
const MAX_PODS = 20
const MAX_EVENTS = 500

/** Children by the label of their Facilitator. Secrets are none of them. */
const childTypes: readonly ResourceType[] = [
  wellKnown.deployment,
  { ...wellKnown.deployment, plural: 'replicasets', kind: 'ReplicaSet' },
  wellKnown.job,
  wellKnown.service,
  wellKnown.serviceAccount,
  wellKnown.configMap,
  wellKnown.podDisruptionBudget,
  wellKnown.networkPolicy,
  wellKnown.ingress,
  wellKnown.httpRoute,
  wellKnown.horizontalPodAutoscaler,
]

const definitionType: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

const OPERATOR = 'app.kubernetes.io/part-of=stellar-x402,app.kubernetes.io/component=operator'

/** Reads everything. What cannot be read is a sentence. Throws ClusterUnreachable. */
export async function collect(cluster: Cluster, scope: ReportScope): Promise<readonly Collected[]> {
  const { facilitator } = scope
  const { name, namespace = cluster.namespace } = facilitator.metadata
  const pools = await Promise.all(
    (facilitator.spec.networks ?? []).map(async ({ channelPool }) => ({
      name: channelPool,
      pool: await getPool(cluster, namespace, channelPool),
    })),
  )
  const [children, pods, events, operator, versions] = await Promise.all([
    Promise.all(childTypes.map((type) => listOf(cluster, type, namespace, podsOf(name)))),
    listPods(cluster, namespace, podsOf(name)),
    listEvents(cluster, namespace, () => true),
    operatorOf(cluster, scope.operatorNamespace),
    versionsOf(cluster),
  ])
  return [
    { path: 'facilitator.json', content: { value: facilitator }, kind: 'object' },
    ...pools.map(({ name: pool, pool: content }) => ({
      path: `pools/${pool}.json`,
      content: content as Attempt<PoolObject>,
      kind: 'object' as const,
    })),
    ...children,
    { path: 'pods.json', content: pods, kind: 'object' },
    { path: 'events.json', content: newest(events), kind: 'object' },
    ...versions,
    ...(await ofPods(cluster, namespace, 'pods', valueIn(pods) ?? [])),
    ...operator,
  ]
}

const newest = (events: Attempt<readonly unknown[]>): Attempt<readonly unknown[]> =>
  'value' in events ? { value: events.value.slice(0, MAX_EVENTS) } : events

async function listOf(
  { client }: Cluster,
  type: ResourceType,
  namespace: string | undefined,
  labelSelector: string,
): Promise<Collected> {
  const right = { verb: 'list', resource: resourceOf(type), namespace }
  const content = await attempt(right, async () => {
    const { items } = await client.list(type, {
      ...(namespace !== undefined && { namespace }),
      labelSelector,
    })
    return items
  })
  return { path: `children/${type.plural}.json`, content, kind: 'object' }
}

/** Logs of the pods, and what facilitator pods report of themselves. */
async function ofPods(
  cluster: Cluster,
  namespace: string,
  folder: string,
  pods: readonly PodObject[],
): Promise<readonly Collected[]> {
  const left = pods.slice(MAX_PODS)
  const parts = await Promise.all(
    pods
      .slice(0, MAX_PODS)
      .map(async (pod) => [
        ...(await podLogs(cluster, namespace, pod, `${folder}/${pod.metadata.name}`)),
        ...(await selfReports(cluster, namespace, pod, `${folder}/${pod.metadata.name}`)),
      ]),
  )
  const names = left.map(({ metadata }) => metadata.name)
  const omitted = {
    path: `${folder}/omitted.json`,
    content: { value: names },
    kind: 'object' as const,
  }
  return [...parts.flat(), ...(names.length > 0 ? [omitted] : [])]
}

async function selfReports(
  cluster: Cluster,
  namespace: string,
  { metadata }: PodObject,
  folder: string,
): Promise<readonly Collected[]> {
  const component = metadata.labels?.[labels.component] ?? ''
  if (!['facilitator', 'catalog', 'explorer'].includes(component)) return []
  const ask = (port: number, path: string) =>
    askPod(cluster, { namespace, pod: metadata.name, port, path })
  const [health, metrics] = await Promise.all([
    component === 'facilitator' ? ask(HTTP_PORT, '/health') : undefined,
    ask(ADMIN_PORT, '/metrics'),
  ])
  return [
    ...(health ? [{ path: `${folder}/health.json`, content: health, kind: 'log' as const }] : []),
    { path: `${folder}/metrics.txt`, content: metrics, kind: 'text' },
  ]
}

async function operatorOf(
  cluster: Cluster,
  namespace: string | undefined,
): Promise<readonly Collected[]> {
  const deployments = await listOf(cluster, wellKnown.deployment, namespace, OPERATOR)
  const found = valueIn(deployments.content) as readonly KubeObject[] | undefined
  const namespaces = new Set((found ?? []).flatMap(({ metadata }) => metadata.namespace ?? []))
  const pods = await Promise.all(
    [...namespaces].map(async (where) => {
      const own = await listPods(cluster, where, OPERATOR)
      return [
        { path: `operator/${where}/pods.json`, content: own, kind: 'object' as const },
        ...(await ofPods(cluster, where, `operator/${where}`, valueIn(own) ?? [])),
      ]
    }),
  )
  return [{ ...deployments, path: 'operator/deployments.json' }, ...pods.flat()]
}

async function versionsOf({ client }: Cluster): Promise<readonly Collected[]> {
  const [server, definitions] = await Promise.all([
    attempt({ verb: 'get', resource: '/version' }, () => client.read('/version')),
    attempt({ verb: 'list', resource: resourceOf(definitionType) }, async () => {
      const { items } = await client.list(definitionType)
      return items
        .filter(({ metadata }) => metadata.name.endsWith('.x402.svc.dev'))
        .map(definitionFacts)
    }),
  ])
  return [
    { path: 'versions/kubernetes.json', content: server, kind: 'object' },
    { path: 'versions/definitions.json', content: definitions, kind: 'object' },
  ]
}

/** The schemas are long, and known by the version of the project. */
function definitionFacts(definition: KubeObject) {
  const { spec, status } = Object(definition)
  const versions: readonly Readonly<Record<string, unknown>>[] = spec?.versions ?? []
  return {
    name: definition.metadata.name,
    created: definition.metadata.creationTimestamp,
    generation: definition.metadata.generation,
    labels: definition.metadata.labels,
    versions: versions.map(({ name, served, storage }) => ({ name, served, storage })),
    storedVersions: status?.storedVersions,
    conditions: status?.conditions,
  }
}
