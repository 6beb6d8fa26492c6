import { describe, expect, inject, test as plain, vi } from 'vitest'
import { facilitatorManifest, type Json } from '../../support/api/manifests.ts'
import { isReady, openPoolWorld, type PoolWorld } from '../operator/pool-world.ts'
import { startApiProxy } from '../support/api-proxy.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { prometheusDefinitions } from '../support/prometheus-operator.ts'
import { compareRights, implicitRights, operatorRights } from '../support/rbac-journal.ts'
import { httpRoutes } from './optional-kinds.ts'

const root = new URL('../../../', import.meta.url).pathname
const soon = { timeout: 60_000, interval: 200 }

/** Several Facilitators of the same name, one after the other: each kind of child is created, changed and deleted. */
const specs: readonly Json[] = [
  {
    autoscale: { max: 4 },
    // The next one has no such part, so its objects are deleted.
    catalog: { enabled: true },
    apiKeys: { digestsSecretRef: { name: 'unwatched' } },
    route: { host: 'pay.example', gatewayRef: { name: 'public' } },
    monitoring: { mode: 'Always', monitor: 'PodMonitor' },
  },
  {
    replicas: 3,
    logLevel: 'Debug',
    image: { repository: 'svc', tag: 'next' },
    route: { host: 'pay.example', ingressClassName: 'public' },
    monitoring: { mode: 'Always', monitor: 'ServiceMonitor', interval: '15s' },
  },
  { replicas: 1, networkPolicy: { mode: 'Never' }, monitoring: { mode: 'Never' } },
]

const pathOf = ({ namespace }: PoolWorld): string =>
  `/apis/x402.svc.dev/v1alpha1/namespaces/${namespace}/facilitators/payments`

async function become(cluster: Cluster, world: PoolWorld, spec: Json): Promise<void> {
  const path = pathOf(world)
  const applied = await cluster.request('PATCH', `${path}?fieldManager=test&force=true`, {
    body: { ...facilitatorManifest(spec) },
    contentType: 'application/apply-patch+yaml',
  })
  expect(applied.status, applied.text).toBeLessThan(300)
  await vi.waitFor(async () => {
    const { metadata, status } = Object((await cluster.request('GET', path)).body)
    const progressing = status?.conditions?.find(({ type }: Json) => type === 'Progressing')
    expect([status?.observedGeneration, progressing?.status, progressing?.message]).toEqual([
      metadata.generation,
      'False',
      expect.anything(),
    ])
  }, soon)
}

const test = plain.extend<{ own: Cluster }>({
  own: async ({ skip }, use) => {
    if (inject('cluster').kind !== 'harness') return skip('it takes a cluster of its own')
    await using cluster = await startCluster()
    await use(cluster)
  },
})

describe('an operator with the permissions of the chart', () => {
  test('needs no other permission, and uses each of them', { timeout: 300_000 }, async ({
    own,
    skip,
  }) => {
    const prometheus = await prometheusDefinitions()
    if ('missing' in prometheus) return skip(prometheus.missing)
    for (const file of [...prometheus.files, `${root}manifests`]) {
      const from = file.endsWith('.yaml') ? '-f' : '-k'
      await own.kubectl(['apply', '--server-side', from, file])
    }
    await own.kubectl(['apply', '-f', '-'], { input: JSON.stringify(httpRoutes) })
    await own.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s'])
    const token = await own.kubectl(['create', 'token', 'x402-stellar', '-n', 'x402-system'])
    await using proxy = await startApiProxy(own.kubeconfigPath)
    await using world = await openPoolWorld(own)
    const unwatched = { name: 'unwatched', namespace: world.namespace }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: unwatched }
    const digests = { ...secret, stringData: { sha256: 'a'.repeat(64) } }
    await own.kubectl(['apply', '-f', '-'], { input: JSON.stringify(digests) })

    const here = { POD_NAMESPACE: 'x402-system', LEASE_NAME: 'x402-stellar', WATCH_NAMESPACES: '' }
    const environment = { ...here, FACILITATOR_IMAGE: 'svc:first' }
    await using operator = world.operate(environment, await proxy.kubeconfigFor(token.trim()))
    await operator.adminUrl
    await world.apply({ channels: 1, deletionPolicy: 'Retire' })
    for (const spec of specs) await become(own, world, spec)
    await world.until(isReady)
    await own.request('DELETE', pathOf(world))
    await world.delete()
    await world.until((pool) => expect(pool).toBeUndefined())

    const refused = proxy.calls.filter(({ status }) => status === 403)
    expect(refused.map(({ verb, path }) => `${verb} ${path}`)).toEqual([])
    expect(
      compareRights(operatorRights(), proxy.calls, {
        userAgent: 'svc-operator',
        // The operator patches an event after eleven equal ones, lists those of a Job that has no pod for 10 s,
        // and reads a namespace when the deletion of a pool in it cannot continue.
        implicit: [
          ...implicitRights,
          'patch events.k8s.io/events',
          'list events.k8s.io/events',
          'get /namespaces',
        ],
      }),
    ).toEqual({ ungranted: [], unused: [] })
  })
})
