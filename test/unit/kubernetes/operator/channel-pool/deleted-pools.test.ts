/** What the operator keeps of a pool in memory, seeds included, goes with the pool. */
import { randomBytes } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { type ChannelPool, channelPool } from '../../../../../src/kubernetes/crd/channel-pool.ts'
import { PoolBlocked } from '../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import { KnownPools } from '../../../../../src/kubernetes/operator/channel-pool/connect/known-pools.ts'
import { WaitingPools } from '../../../../../src/kubernetes/operator/channel-pool/connect/waiting-pools.ts'
import {
  createReconcile,
  type ReconcileDeps,
} from '../../../../../src/kubernetes/operator/channel-pool/reconcile.ts'
import { secretOfSeed, signerFromSecret } from '../../../../../src/stellar/accounts/signer.ts'
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
function reconcile(
  signal = new AbortController().signal,
  connect: () => Promise<object> = async () => {
    throw new PoolBlocked('StoreUnreachable', 'The database does not answer.')
  },
) {
  const deps = {
    pools: { get: () => cached },
    forgottenSecrets: () => [],
    ownWrites: { over: (object: unknown) => object },
    known,
    waiting: new WaitingPools({ clock: new FakeClock(), wake: () => undefined }),
    dependenciesOf: () => ({}),
    connect,
    report: async () => undefined,
    forget: async (uid: string) => {
      forgotten.push(uid)
      known.forget(uid)
    },
  } as unknown as ReconcileDeps
  const logger = { warn: () => undefined, error: () => undefined }
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
  const owned = [address(), address(), address()]
  const freed = knowPool(owned.map(row), () => ends.abort())
  await reconcile(ends.signal)
  expect(freed).toEqual(owned.slice(0, 1))
  expect(forgotten).toEqual(['one'])
})

test('and of what its database names, only sponsors are given up and kept in mind', async () => {
  const sponsor = address()
  const long = { ...row(sponsor), name: 'x'.repeat(60_000) }
  const another = { ...row(address()), network: 'x'.repeat(60_000) }
  const freed = knowPool([row('x'.repeat(60_000)), another, long])
  await reconcile()
  expect(freed).toEqual([sponsor])
})

test('and a hundred of them at most', async () => {
  const { sponsor } = row(address())
  const freed = knowPool(Array.from({ length: 10_000 }, () => row(sponsor)))
  await reconcile()
  expect(freed).toHaveLength(100)
})

test('nothing is kept for it of its connection but what gives its sponsors up', async () => {
  cached = pool('one')
  const kept: unknown[] = []
  vi.spyOn(known, 'note').mockImplementation((_, __, connected) => void kept.push(connected))
  const owned = { ...row(sponsorOf(seed)), uid: 'one', idleSeconds: 0 }
  const needed = {
    store: { db: answering([owned]) },
    write: async () => owned,
    freed: () => undefined,
  }
  const facts = { network: owned.network, sponsor: owned.sponsor, sponsorSecret: seed }
  const texts = { storeId: 'x'.repeat(64), unknownMigration: 'x'.repeat(100) }
  // The pass ends where it would read the ledger.
  const connect = async () => ({ ...needed, ...facts, ...texts })
  await reconcile(undefined, connect).catch(() => undefined)
  expect(kept).toEqual([undefined, needed])
})

const seed = secretOfSeed(randomBytes(32))
const sponsorOf = (secret: string) => signerFromSecret(secret).address
const address = () => sponsorOf(secretOfSeed(randomBytes(32)))
const row = (sponsor: string) => ({ network: 'stellar:testnet', sponsor, name: 'shop/testnet' })

/**
 * The deleted pool, with a store of an earlier pass, whose time limit is over.
 * @returns the sponsors that are given up
 */
function knowPool(rows: readonly object[], written: () => void = () => undefined) {
  const freed: string[] = []
  const connected = {
    store: { db: answering(rows) },
    write: async () => written(),
    freed: ({ sponsor }: { readonly sponsor: string }) => freed.push(sponsor),
  }
  known.note(key, 'one', connected as unknown as Parameters<KnownPools['note']>[2])
  return freed
}

/** A database that answers each query with these rows. */
function answering(rows: readonly object[]): unknown {
  const query: unknown = new Proxy(
    {},
    { get: (_, name) => (name === 'execute' ? async () => rows : () => query) },
  )
  return query
}
