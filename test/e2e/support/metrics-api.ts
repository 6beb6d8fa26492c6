/** A metrics API (metrics.k8s.io) whose answers the test chooses, behind the aggregation layer of the API server. */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificate } from '../../../src/localnet/server/certificate.ts'
import { NODE_ADDRESS } from './node-config.ts'
import type { World } from './world.ts'
import { places } from './world-places.ts'

interface MetricsApi extends AsyncDisposable {
  /** From now on every pod uses so much CPU, as a Kubernetes quantity. */
  report(cpu: string): void
}

const GROUP = 'metrics.k8s.io'
const GROUP_VERSION = `${GROUP}/v1beta1`
const NAME = 'metrics-api'
const CERTIFICATE_DAYS = 1

/** Serves until it is disposed of. */
export async function startMetricsApi(world: World): Promise<MetricsApi> {
  let cpu = '1m'
  const { key, cert } = await createCertificate(Date.now(), CERTIFICATE_DAYS)
  const server = createServer({ key, cert }, (request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'https://metrics')
    void answer(world, pathname, search, cpu).then((body) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    })
  })
  server.listen(0, NODE_ADDRESS)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await world.apply(objects(port))
  return {
    report: (used) => {
      cpu = used
    },
    [Symbol.asyncDispose]: async () => {
      await world.cluster.kubectl(['delete', 'apiservice', `v1beta1.${GROUP}`])
      await world.cluster.kubectl(['-n', places.infra, 'delete', 'service', NAME])
      server.closeAllConnections()
      server.close()
    },
  }
}

async function answer(world: World, path: string, search: string, cpu: string): Promise<object> {
  const [, namespace] = /\/namespaces\/([^/]+)\/pods$/.exec(path) ?? []
  if (namespace === undefined) return discovery
  const { body } = await world.cluster.request(
    'GET',
    `/api/v1/namespaces/${namespace}/pods${search}`,
  )
  const pods = body['items'] as Pod[]
  const items = pods.map(({ metadata: { name }, spec: { containers } }) => ({
    metadata: { name, namespace },
    timestamp: new Date().toISOString(),
    window: '1s',
    containers: containers.map((container) => ({
      name: container.name,
      usage: { cpu, memory: '128Mi' },
    })),
  }))
  return { kind: 'PodMetricsList', apiVersion: GROUP_VERSION, metadata: {}, items }
}

interface Pod {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly containers: readonly { readonly name: string }[] }
}

const discovery = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: GROUP_VERSION,
  resources: [{ name: 'pods', kind: 'PodMetrics', namespaced: true, verbs: ['get', 'list'] }],
}

const objects = (port: number) => [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: NAME, namespace: places.infra },
    spec: { ports: [{ port: 443, targetPort: port }] },
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: NAME,
      namespace: places.infra,
      labels: { 'kubernetes.io/service-name': NAME },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: [NODE_ADDRESS] }],
    ports: [{ port }],
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1beta1.${GROUP}` },
    spec: {
      group: GROUP,
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { name: NAME, namespace: places.infra },
    },
  },
]
