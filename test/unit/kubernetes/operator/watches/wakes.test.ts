/** An object that cannot go on is passed again as soon as what it waits for changes: no time passes here. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ChannelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import type { Facilitator } from '../../../../../src/kubernetes/crd/facilitator.ts'
import { blockers } from '../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import { createChannelPoolController } from '../../../../../src/kubernetes/operator/channel-pool/controller.ts'
import { createFacilitatorController } from '../../../../../src/kubernetes/operator/facilitator/controller.ts'
import { channelSecretOf } from '../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import type { Caches } from '../../../../../src/kubernetes/operator/watches/caches.ts'
import {
  facilitatorByLabel,
  facilitatorsByPool,
  facilitatorsBySecret,
  index,
  poolsBySecret,
} from '../../../../../src/kubernetes/operator/watches/indexes.ts'
import type {
  ChangeHandler,
  Informer,
} from '../../../../../src/kubernetes/runtime/cache/informer.ts'
import { type Index, ObjectStore } from '../../../../../src/kubernetes/runtime/cache/store.ts'
import { noKubeMetrics } from '../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { type KubeObject, keyOf } from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import type { Json } from '../../../../support/api/manifests.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { silentLogger } from '../../runtime/support/silence.ts'
import { facilitatorWith, poolWith, pubnet } from '../facilitator/builders.ts'

/** Counts the passes: each begins with a look into the cache. */
class CountedStore<T extends KubeObject> extends ObjectStore<T> {
  looks = 0

  override get(key: string): T | undefined {
    this.looks += 1
    return super.get(key)
  }
}

let version = 0

/** A cache that the test fills. */
function memory<T extends KubeObject>(indexes: Readonly<Record<string, Index<T>>> = {}) {
  const store = new CountedStore<T>(indexes)
  const handlers: ChangeHandler<T>[] = []
  const tell = (change: ReturnType<typeof store.put>) => {
    if (change) for (const handler of handlers) handler(change, false)
  }
  const informer = {
    store,
    synced: Promise.resolve(),
    answered: Promise.resolve(),
    sees: () => true,
    isRefused: () => false,
    onChange: (handler: ChangeHandler<T>) => {
      handlers.push(handler)
    },
    run: async () => undefined,
  } as unknown as Informer<T>
  return {
    store,
    informer,
    put: (object: T) => {
      version += 1
      const metadata = { ...object.metadata, resourceVersion: String(version) }
      tell(store.put({ ...object, metadata }))
    },
    remove: (object: T) => tell(store.delete(keyOf(object.metadata))),
  }
}

const secretOf = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1' },
})

function openWorld(stop: AbortSignal) {
  const pools = memory<ChannelPool>({ [index.bySecret]: poolsBySecret })
  const facilitators = memory<Facilitator>({
    [index.byPool]: facilitatorsByPool,
    [index.bySecret]: facilitatorsBySecret,
  })
  const secrets = memory()
  const pods = memory({ [index.byFacilitator]: facilitatorByLabel })
  const caches = {
    pools: pools.informer,
    facilitators: facilitators.informer,
    secrets: { informers: [secrets.informer], heldIn: () => [] },
    pods: pods.informer,
    children: {
      informers: [],
      ownedBy: () => [],
      find: () => undefined,
      serves: () => false,
      onServed: () => undefined,
    },
  } as unknown as Caches
  const clock = new FakeClock()
  const reader = { read: async () => undefined, isWatched: () => true }
  const options = {
    caches,
    client: { fieldManager: 'test' },
    secrets: reader,
    stores: { release: async () => undefined },
    connectDeps: { secrets: reader },
    facilitatorImage: 'registry.example/stellar-x402:1.0.0',
    events: { record: () => undefined, flush: async () => undefined },
    clock,
    random: () => 0.5,
    logger: silentLogger,
    metrics: noKubeMetrics,
    resyncMs: 0,
  } as never
  const facilitatorController = createFacilitatorController(options)
  const poolController = createChannelPoolController(options)
  return {
    pools,
    facilitators,
    secrets,
    run: () => facilitatorController.run({ stop }),
    runPools: () => poolController.run({ stop }),
  }
}

type World = ReturnType<typeof openWorld>

let ending: AbortController
let world: World
beforeEach(() => {
  ending = new AbortController()
  world = openWorld(ending.signal)
})
afterEach(() => ending.abort())

/** Waits until every pass has ended that something has caused so far. */
async function calm({ store }: { readonly store: { readonly looks: number } }): Promise<number> {
  for (let last = -1; last !== store.looks; ) {
    last = store.looks
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  return store.looks
}

const generation = <T extends KubeObject>(object: T, changes: object = {}): T => ({
  ...object,
  ...changes,
  metadata: { ...object.metadata, generation: 2 },
})

const ready = (reason: string, status = 'True') => ({
  conditions: [
    { type: 'Ready', status, reason, message: 'So.', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
})

interface Wait {
  readonly reason: string
  readonly what: string
  readonly spec?: Json
  readonly pools?: readonly ChannelPool[]
  readonly happens: (world: World) => void
}

const testnet = poolWith()
const ref = (name: string) => ({ secretRef: { name } })
const isCreated = (secret: string) => (of: World) => of.secrets.put(secretOf(secret))
const poolIs = (object: ChannelPool) => (of: World) => of.pools.put(object)
const specIs = (of: World) => of.facilitators.put(generation(facilitatorWith()))

const waits: readonly Wait[] = [
  { reason: 'PoolMissing', what: 'the pool', pools: [], happens: poolIs(testnet) },
  { reason: 'NetworkTwice', what: 'another spec', happens: specIs },
  {
    reason: 'NetworkTwice',
    what: 'the end of a pool',
    happens: ({ pools }) => pools.remove(testnet),
  },
  { reason: 'ApiKeyUndecided', what: 'another spec', pools: [pubnet()], happens: specIs },
  { reason: 'AddressInvalid', what: 'another spec', happens: specIs },
  { reason: 'UrlInvalid', what: 'another spec of the pool', happens: poolIs(generation(testnet)) },
  { reason: 'ImageMissing', what: 'another spec', happens: specIs },
  { reason: 'SpecTooLarge', what: 'another spec', happens: specIs },
  { reason: 'DatabaseSecretMissing', what: 'the Secret', happens: isCreated('x402-database') },
  {
    reason: 'DatabaseSecretMissing',
    what: 'the certificate authority',
    spec: { database: { ...ref('x402-database'), caSecretRef: { name: 'ca' } } },
    happens: isCreated('ca'),
  },
  {
    reason: 'DatabaseSecretMissing',
    what: 'the URL without a pooler',
    spec: { database: { ...ref('x402-database'), directSecretRef: { name: 'direct' } } },
    happens: isCreated('direct'),
  },
  {
    reason: 'DatabaseSecretMissing',
    what: 'the read replica',
    spec: { explorer: { enabled: true, databaseReplicaSecretRef: { name: 'replica' } } },
    happens: isCreated('replica'),
  },
  {
    reason: 'ApiKeysSecretMissing',
    what: 'the Secret',
    spec: { apiKeys: { digestsSecretRef: { name: 'keys' } } },
    happens: isCreated('keys'),
  },
  {
    reason: 'EmbeddingsSecretMissing',
    what: 'the Secret',
    spec: {
      catalog: {
        enabled: true,
        embeddings: { url: 'https://e.example', model: 'm', secretRef: { name: 'embeddings' } },
      },
    },
    happens: isCreated('embeddings'),
  },
  {
    reason: 'PoolNotReady',
    what: 'the seed of the sponsor',
    happens: isCreated('testnet-sponsor'),
  },
  {
    reason: 'PoolNotReady',
    what: 'the pool to be Ready',
    happens: poolIs({ ...testnet, status: ready('ChannelsReady') } as never),
  },
  {
    reason: 'PoolDegraded',
    what: 'the pool to be as its spec says',
    happens: poolIs({
      ...testnet,
      status: {
        conditions: [{ ...ready('AsSpecified', 'False').conditions[0], type: 'Degraded' }],
      },
    } as never),
  },
  {
    reason: 'StoreMismatch',
    what: 'the database of the pool',
    happens: poolIs(generation(testnet)),
  },
  {
    reason: 'Paused',
    what: 'the end of the pause',
    happens: ({ facilitators }) =>
      facilitators.put(facilitatorWith({}, { annotations: { 'x402.svc.dev/restartedAt': '1' } })),
  },
]

describe('N7: a Facilitator', () => {
  test.each(waits)(
    'with $reason is woken by $what',
    async ({ spec, pools = [testnet], happens }) => {
      for (const pool of pools) world.pools.put(pool)
      world.facilitators.put(facilitatorWith(spec ?? {}))
      void world.run()
      const before = await calm(world.facilitators)
      expect(before).toBeGreaterThan(0)
      world.secrets.put(secretOf('of-nobody'))
      expect(await calm(world.facilitators)).toBe(before)
      happens(world)
      await vi.waitFor(() => expect(world.facilitators.store.looks).toBeGreaterThan(before), {
        timeout: 120_000,
      })
    },
  )
})

const hsm = {
  address: `G${'A'.repeat(55)}`,
  pkcs11: {
    modulePath: '/usr/lib/pkcs11.so',
    token: 'x402',
    key: 'sponsor',
    pinSecretRef: { name: 'testnet-pin', key: 'pin' },
  },
}
const channelSecret = channelSecretOf({ metadata: { name: 'testnet' } }, hsm)?.name ?? ''

/** How a pool with each blocker is woken. What is `shared` is found out by a pass of another pool: see `WaitingPools`. */
const wakes: Readonly<
  Record<keyof typeof blockers, ((of: World) => void) | 'shared' | 'nothing can be watched'>
> = {
  SponsorSecretMissing: isCreated('testnet-sponsor'),
  SponsorSecretInvalid: isCreated('testnet-sponsor'),
  SponsorChanged: isCreated('testnet-sponsor'),
  SponsorKeyMismatch: isCreated('testnet-sponsor'),
  SponsorAddressInvalid: 'nothing can be watched',
  SignerUnreachable: 'nothing can be watched',
  SignerDenied: 'nothing can be watched',
  SignerSecretMissing: isCreated('testnet-pin'),
  ChannelSecretMissing: isCreated(channelSecret),
  ChannelSecretInvalid: isCreated(channelSecret),
  DatabaseSecretMissing: isCreated('x402-database'),
  DatabaseSecretInvalid: isCreated('x402-database'),
  RpcSecretMissing: isCreated('testnet-rpc'),
  RpcSecretInvalid: isCreated('testnet-rpc'),
  StoreSchemaOutdated: ({ facilitators }) =>
    facilitators.put({
      ...facilitatorWith(),
      status: { migration: { state: 'Succeeded' } },
    } as never),
  StoreUnreachable: 'shared',
  RpcUnreachable: 'shared',
  RpcWrongNetwork: 'shared',
  Conflict: 'shared',
  // The database and the ledger tell nobody of a change: the pool looks again by itself.
  SponsorMarked: 'nothing can be watched',
  StoreSchemaNewer: 'nothing can be watched',
  ChannelsInvalid: 'nothing can be watched',
  Fenced: 'nothing can be watched',
  SponsorMissing: 'nothing can be watched',
}

const ofSigner: ReadonlySet<string> = new Set([
  'SignerSecretMissing',
  'ChannelSecretMissing',
  'ChannelSecretInvalid',
])

const withHeaders = {
  ...testnet,
  spec: {
    ...testnet.spec,
    rpc: { ...testnet.spec.rpc, headersSecretRef: { name: 'testnet-rpc', key: 'headers' } },
  },
}

const withSigner = { ...testnet, spec: { ...testnet.spec, sponsor: hsm } } as unknown as ChannelPool

describe('N7: a ChannelPool', () => {
  test.each(Object.entries(wakes))(
    'with %s is woken by what it waits for',
    async (reason, wake) => {
      const { waitsFor, retryMs } = {
        waitsFor: undefined,
        ...blockers[reason as keyof typeof blockers],
      }
      if (wake === 'shared') return expect(waitsFor).toBeDefined()
      if (wake === 'nothing can be watched') return expect(retryMs).toBeLessThanOrEqual(60_000)
      world.facilitators.put(facilitatorWith())
      world.pools.put(ofSigner.has(reason) ? withSigner : withHeaders)
      void world.runPools()
      const before = await calm(world.pools)
      world.secrets.put(secretOf('of-nobody'))
      expect(await calm(world.pools)).toBe(before)
      wake(world)
      await vi.waitFor(() => expect(world.pools.store.looks).toBeGreaterThan(before), {
        timeout: 120_000,
      })
    },
  )

  test.each<[string, (of: World) => void]>([
    ['the certificate authority of its database', isCreated('ca')],
    ['another spec', ({ pools }) => pools.put(generation(testnet))],
    [
      'the end of the Facilitator that keeps its deletion from ending',
      ({ facilitators }) => facilitators.remove(facilitatorWith()),
    ],
    [
      'a Facilitator that does not name it any more',
      ({ facilitators }) =>
        facilitators.put(generation(facilitatorWith({ networks: [{ channelPool: 'other' }] }))),
    ],
    [
      'an annotation that lets it take over',
      ({ pools }) =>
        pools.put({
          ...testnet,
          metadata: {
            ...testnet.metadata,
            annotations: { 'x402.svc.dev/take-over': 'shop/other' },
          },
        }),
    ],
  ])('is woken by %s', async (_, happens) => {
    const database = { ...ref('x402-database'), caSecretRef: { name: 'ca' } }
    world.facilitators.put(facilitatorWith())
    world.pools.put(poolWith({ database }))
    void world.runPools()
    const before = await calm(world.pools)
    happens(world)
    await vi.waitFor(() => expect(world.pools.store.looks).toBeGreaterThan(before), {
      timeout: 120_000,
    })
  })
})
