import { describe, expect, inject, test as plain, vi } from 'vitest'
import type { ChannelPool } from '../../../src/kubernetes/crd/channel-pool.ts'
import { facilitatorManifest, type Json } from '../../support/api/manifests.ts'
import {
  isReady,
  openPoolWorld,
  type PoolWorld,
} from '../kubernetes/operator/channel-pool/pool-world.ts'
import {
  addSponsor,
  hasEnded,
  nameSponsor,
  rotationPatience,
} from '../kubernetes/operator/channel-pool/rotation/rotation-world.ts'
import { startApiProxy } from '../support/api-proxy.ts'
import { type Cluster, startCluster } from '../support/cluster.ts'
import { prometheusDefinitions } from '../support/prometheus-operator.ts'
import { compareRights, implicitRights, operatorRights } from '../support/rbac-journal.ts'
import { httpRoutes } from './optional-kinds.ts'

const root = new URL('../../../', import.meta.url).pathname
const soon = { timeout: 240_000, interval: 200 }

const confined: Json = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
}

/** Several Facilitators of the same name, one after the other: each kind of child is created, changed and deleted. */
const withKeys: Json = {
  networks: [{ channelPool: 'testnet', access: 'Everyone' }],
  apiKeys: { digestsSecretRef: { name: 'unwatched' } },
}

const specs: readonly Json[] = [
  {
    autoscale: { maxReplicas: 4, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } },
    podDisruptionBudget: { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    service: {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      annotations: { size: 'small' },
    },
    networkPolicy: {
      clients: [{ namespaceSelector: { matchLabels: { team: 'payments' } } }],
      extraEgress: [{ ports: [{ port: 4317 }] }],
    },
    podTemplate: {
      metadata: { labels: { team: 'payments' } },
      spec: { containers: [{ name: 'agent', image: 'agent', securityContext: confined }] },
    },
    // The next one has no such part, so its objects are deleted.
    catalog: { enabled: true },
    ...withKeys,
    route: { hosts: ['pay.example', 'x402.example'], parentRefs: [{ name: 'public' }] },
    monitoring: { mode: 'Always', monitor: 'PodMonitor' },
  },
  // Another image replaces pods that serve, so a preflight Job runs first.
  {
    replicas: 3,
    service: { type: 'NodePort' },
    logLevel: 'Debug',
    image: { repository: 'svc', tag: 'next' },
    route: { hosts: ['pay.example'], ingressClassName: 'public' },
    monitoring: { mode: 'Always', monitor: 'ServiceMonitor', interval: '15s' },
  },
  { replicas: 1, networkPolicy: { mode: 'Never' }, monitoring: { mode: 'Never' } },
]

const pathOf = ({ namespace }: PoolWorld): string =>
  `/apis/x402.svc.dev/v1beta1/namespaces/${namespace}/facilitators/payments`

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

/** A pool that cannot be cleaned up: the operator asks whether its namespace terminates. */
async function deleteWithoutSecret(world: PoolWorld): Promise<void> {
  const sponsor = { secretRef: { name: 'missing' } }
  await world.apply({ channels: 1, deletionPolicy: 'Retire', sponsor }, 'lost')
  // As of a pool that another process has managed: without the Secret the operator sets no finalizer.
  await world.patch({ metadata: { finalizers: ['x402.svc.dev/cleanup'] } }, 'lost')
  const reason = (expected: string) => (pool: ChannelPool | undefined) => {
    const reasons = pool?.status?.conditions?.map((each) => each.reason)
    expect(reasons).toContain(expected)
  }
  await world.until(reason('SponsorSecretMissing'), 'lost')
  await world.delete('lost')
  await world.until(reason('DeletionBlocked'), 'lost')
  await world.patch({ metadata: { annotations: { 'x402.svc.dev/skip-cleanup': 'true' } } }, 'lost')
  await world.until((pool) => expect(pool).toBeUndefined(), 'lost')
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
    const token = await own.kubectl(['create', 'token', 'stellar-x402', '-n', 'x402-system'])
    await using proxy = await startApiProxy(own.kubeconfigPath)
    await using world = await openPoolWorld(own)
    const unwatched = { name: 'unwatched', namespace: world.namespace }
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: unwatched }
    const digests = { ...secret, stringData: { sha256: 'a'.repeat(64) } }
    await own.kubectl(['apply', '-f', '-'], { input: JSON.stringify(digests) })

    const here = {
      POD_NAMESPACE: 'x402-system',
      LEASE_NAME: 'stellar-x402',
      WATCH_NAMESPACES: '',
      SECRETS_WATCH: 'false',
    }
    const environment = { ...here, FACILITATOR_IMAGE: 'svc:first' }
    const kubeconfig = await proxy.kubeconfigFor(token.trim())
    const operator = world.operate(environment, kubeconfig)
    await operator.adminUrl
    await world.apply({ channels: 1, deletionPolicy: 'Retire' })
    for (const spec of specs) await become(own, world, spec)
    await world.until(isReady)
    const next = await addSponsor(world, 'next-sponsor', 100n)
    await nameSponsor(world, next.name)
    await world.until(hasEnded('Done'), undefined, rotationPatience)
    await deleteWithoutSecret(world)
    await own.request('DELETE', pathOf(world))
    await world.delete()
    await world.until((pool) => expect(pool).toBeUndefined())
    operator.kill('SIGTERM')
    expect(await operator.exited).toBe(0)

    const refused = () =>
      proxy.calls.filter(({ status }) => status === 403).map(({ verb, path }) => `${verb} ${path}`)
    expect(refused()).toEqual([])
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
