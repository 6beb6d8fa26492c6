/** What the operator keeps of a pool in memory, seeds included, goes with the pool. */
import { beforeEach, expect, test } from 'vitest'
import { type ChannelPool, channelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import { PoolBlocked } from '../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import { KnownPools } from '../../../../../src/kubernetes/operator/channel-pool/connect/known-pools.ts'
import { WaitingPools } from '../../../../../src/kubernetes/operator/channel-pool/connect/waiting-pools.ts'
import {
  createReconcile,
  type ReconcileDeps,
} from '../../../../../src/kubernetes/operator/channel-pool/reconcile.ts'
import { poolManifest } from '../../../../support/api/manifests.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const key = 'shop/testnet'
let cached: ChannelPool | undefined
let forgotten: string[]
let known: KnownPools

beforeEach(() => {
  cached = undefined
  forgotten = []
  known = new KnownPools()
})

/** A pass over a pool whose database cannot be reached. */
function reconcile(signal = new AbortController().signal) {
  const deps = {
    pools: { get: () => cached },
    forgottenSecrets: () => [],
    ownWrites: { over: (object: unknown) => object },
    known,
    waiting: new WaitingPools({ clock: new FakeClock(), wake: () => undefined }),
    dependenciesOf: () => ({}),
    connect: async () => {
      throw new PoolBlocked('StoreUnreachable', 'The database does not answer.')
    },
    report: async () => undefined,
    forget: async (uid: string) => {
      forgotten.push(uid)
      known.forget(uid)
    },
  } as unknown as ReconcileDeps
  const logger = { warn: () => undefined }
  return createReconcile(deps)({ key, name: { namespace: 'shop' }, signal, logger } as never)
}

const pool = (uid: string) => {
  const manifest = poolManifest({}, { name: 'testnet' })
  const metadata = { ...Object(manifest).metadata, namespace: 'shop', uid, generation: 1 }
  return { ...manifest, ...channelPool.parse(manifest), metadata } as unknown as ChannelPool
}

test('also when no pass has reached its database', async () => {
  cached = pool('one')
  await reconcile()
  expect(forgotten).toEqual([])
  cached = undefined
  await reconcile()
  await reconcile()
  expect(forgotten).toEqual(['one'])
})

test('also when another pool has its name already', async () => {
  cached = pool('one')
  await reconcile()
  cached = pool('two')
  await reconcile()
  expect(forgotten).toEqual(['one'])
})

test('and its sponsors are given up until the pass ends, however many its database names', async () => {
  const ends = new AbortController()
  const owned = ['a', 'b', 'c'].map((sponsor) => ({ network: 'stellar:testnet', sponsor }))
  const freed: string[] = []
  const connected = {
    // The store is that of an earlier pass, whose time limit is over.
    store: { db: answering(owned) },
    write: async () => ends.abort(),
    freed: ({ sponsor }: { readonly sponsor: string }) => freed.push(sponsor),
  }
  known.note(key, 'one', connected as unknown as Parameters<KnownPools['note']>[2])
  await reconcile(ends.signal)
  expect(freed).toEqual(['a'])
  expect(forgotten).toEqual(['one'])
})

/** A database that answers each query with these rows. */
function answering(rows: readonly object[]): unknown {
  const query: unknown = new Proxy(
    {},
    { get: (_, name) => (name === 'execute' ? async () => rows : () => query) },
  )
  return query
}
