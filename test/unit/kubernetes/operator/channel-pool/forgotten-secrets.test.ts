/** Someone removed the finalizers of a pool by hand, in the middle of a rotation: its Secrets have theirs still. */
import { afterEach, expect, test, vi } from 'vitest'
import { sponsorFinalizer } from '../../../../../src/kubernetes/crd/names/marks.ts'
import { createChannelPoolController } from '../../../../../src/kubernetes/operator/channel-pool/controller.ts'
import { createCaches } from '../../../../../src/kubernetes/operator/watches/caches.ts'
import { noKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import type { KubeObject } from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { poolManifest } from '../../../../support/api/manifests.ts'
import { sendJson, sendStatus, startLoopback } from '../../runtime/support/loopback.ts'
import { rotation } from './rotation/rotations.ts'

const ended = new AbortController()
afterEach(() => ended.abort())

const secret = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: 'shop',
    uid: name,
    resourceVersion: '5',
    finalizers: [sponsorFinalizer],
  },
})

const rotating = {
  ...poolManifest(
    {
      sponsor: { secretRef: { name: 'new', key: 'seed' } },
      database: { secretRef: { name: 'd', key: 'u' } },
    },
    { name: 'testnet', status: { rotation: rotation() } as never },
  ),
  metadata: { name: 'testnet', namespace: 'shop', uid: 'p', resourceVersion: '5', generation: 1 },
}

test('frees the Secrets that no rotation needs, and no other', async () => {
  const { from } = rotation()
  const stored = new Map(
    ['forgotten', from.source.secretRef?.name ?? ''].map((name) => [name, secret(name)] as const),
  )
  await using server = await startLoopback(({ method, path, query, body }, response) => {
    const [resource = ''] = path.split('/').slice(path.startsWith('/apis') ? 4 : 3)
    if (query.get('watch') !== null) {
      response.writeHead(200)
      return response.write('\n')
    }
    if (path.includes('/namespaces/shop/secrets/')) {
      const found = stored.get(path.split('/').at(-1) ?? '')
      if (!found) return sendStatus(response, 404, 'NotFound')
      if (method === 'PATCH') {
        const { finalizers } = JSON.parse(body).metadata
        const { finalizers: _, ...metadata } = found.metadata
        const changed = { ...found, metadata: { ...metadata, ...(finalizers && { finalizers }) } }
        stored.set(found.metadata.name, changed)
      }
      return sendJson(response, 200, stored.get(found.metadata.name))
    }
    const isOfLabel = query.get('labelSelector')?.endsWith('!=true') === false
    const items: Record<string, readonly unknown[]> = {
      channelpools: [rotating],
      secrets: isOfLabel ? [] : [...stored.values()],
    }
    return sendJson(response, 200, {
      metadata: { resourceVersion: '10' },
      items: items[resource] ?? [],
    })
  })
  const options = {
    client: server.client(),
    clock: systemClock,
    random: Math.random,
    logger: createLogger({ level: 'silent' }),
    metrics: noKubeMetrics,
  }
  const caches = createCaches(options, {
    serves: () => false,
    onChange: () => undefined,
    answered: Promise.resolve(),
    run: async () => undefined,
  })
  const controller = createChannelPoolController({
    ...options,
    caches,
    events: { record: () => undefined, flush: async () => undefined },
    connectDeps: { secrets: { read: async () => undefined, isWatched: () => true } } as never,
  })
  const informers = [caches.pools, caches.facilitators, ...caches.secrets.informers]
  for (const informer of informers) void informer.run(ended.signal)
  const running = controller.run({ stop: ended.signal })
  await vi.waitFor(() => expect(stored.get('forgotten')?.metadata.finalizers).toBeUndefined(), {
    timeout: 120_000,
  })
  expect(stored.get(from.source.secretRef?.name ?? '')?.metadata.finalizers).toEqual([
    sponsorFinalizer,
  ])
  ended.abort()
  await running
})
