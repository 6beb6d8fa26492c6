import { randomBytes } from 'node:crypto'
import { describe, expect } from 'vitest'
import { secretOfSeed } from '../../../../../src/stellar/accounts/signer.ts'
import { test } from '../../../support/cluster-test.ts'
import { condition, isReady, LUMEN, openPoolWorld } from './pool-world.ts'
import { poolWorlds } from './pool-worlds.ts'

/** Five pools at once: on a busy machine that takes half a minute. */
const limits = { timeout: 180_000 }

const worldOf = poolWorlds({
  deleted: {},
  paused: {},
  secrets: {},
  unfunded: { lumens: 0n },
  shared: {},
  survivor: {},
  reseeded: {},
  lost: {},
  unreachable: {},
})

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe.concurrent('a ChannelPool on a real API server', limits, () => {
  test('gets its channels, reports them, grows and shrinks as it is scaled', async ({
    cluster,
  }) => {
    await using world = await openPoolWorld(cluster)
    await using operator = world.operate()
    await world.apply({ channels: 3 })
    const made = await world.until(isReady)
    expect(made.metadata.finalizers).toBeUndefined()
    expect(made.status).toMatchObject({
      summary: { channels: '3/3' },
      channels: { wanted: 3, ready: 3, inUse: 0, draining: 0, quarantined: 0, accounts: 3 },
      sponsor: { address: world.sponsor.address },
      authority: { onLedger: true },
      lastTransaction: { kind: 'Create', channels: 4 },
    })
    expect(await world.onLedger()).toEqual(upTo(3))

    const scale = ['-n', world.namespace, 'scale', 'channelpool/testnet']
    await cluster.kubectl([...scale, '--replicas=21'])
    await world.until((pool) => {
      expect(pool?.status?.channels?.wanted).toBe(21)
      isReady(pool)
    })
    expect(await world.onLedger()).toEqual(upTo(21))

    await cluster.kubectl([...scale, '--replicas=2'])
    await world.until((pool) => expect(pool?.status?.channels?.accounts).toBe(2))
    expect(await world.onLedger()).toEqual(upTo(2))
    expect(await world.sponsoring()).toBe(6)

    operator.kill('SIGTERM')
    expect(await operator.exited).toBe(0)
  })

  test('keeps its channels when it is deleted, unless the policy is Retire', async ({
    cluster,
  }) => {
    const world = await worldOf(cluster, 'deleted')
    await world.apply({ channels: 2 })
    await world.until(isReady)
    await world.delete()
    await world.until((pool) => expect(pool).toBeUndefined())
    expect(await world.onLedger()).toEqual([0, 1])

    await world.apply({ channels: 2, deletionPolicy: 'Retire' })
    await world.until(isReady)
    await world.delete()
    await world.until((pool) => expect(pool).toBeUndefined())
    expect(await world.onLedger()).toEqual([])
    expect(await world.sponsoring()).toBe(0)
  })

  test('changes nothing while it is paused', async ({ cluster }) => {
    const world = await worldOf(cluster, 'paused')
    await world.apply({ channels: 1 })
    await world.until(isReady)
    await world.patch({ metadata: { annotations: { 'x402.svc.dev/paused': 'true' } } })
    await world.until((pool) =>
      expect(condition(pool, 'Progressing')).toMatchObject({ status: 'Unknown', reason: 'Paused' }),
    )
    await world.patch({ spec: { channels: 2 } })
    // The operator has processed a later object, so it has processed this one too.
    await world.apply({ sponsor: { secretRef: { name: 'missing' } } }, 'later')
    await world.until((pool) => expect(condition(pool, 'Ready')?.status).toBe('False'), 'later')
    expect(await world.onLedger()).toEqual([0])
    expect((await world.get())?.status?.observedGeneration).toBe(1)
    await world.patch({ metadata: { annotations: { 'x402.svc.dev/paused': null } } })
    await world.until(isReady)
    expect(await world.onLedger()).toEqual([0, 1])
  })
})

describe.concurrent(
  'a ChannelPool reports what blocks it, and becomes ready once that is solved',
  limits,
  () => {
    test('secrets that are missing or wrong', async ({ cluster }) => {
      const world = await worldOf(cluster, 'secrets')
      const refs = {
        channels: 1,
        sponsor: { secretRef: { name: 'later-sponsor' } },
        database: { secretRef: { name: 'later-database' } },
      }
      const because = (reason: string) =>
        world.until((pool) =>
          expect(condition(pool, 'Ready')).toMatchObject({ status: 'False', reason }),
        )
      await world.apply(refs)
      await because('SponsorSecretMissing')
      await world.secret('later-sponsor', { secret: 'not a seed' })
      await because('SponsorSecretInvalid')
      await world.secret('later-sponsor', { secret: world.sponsor.secret })
      await because('DatabaseSecretMissing')
      await world.secret('later-database', { url: 'https://database.example' })
      await because('DatabaseSecretInvalid')
      const missingDatabase = new URL(world.databaseUrl)
      missingDatabase.pathname = '/missing'
      await world.secret('later-database', { url: missingDatabase.href })
      await because('DatabaseSecretInvalid')
      await world.secret('later-database', { url: world.databaseUrl })
      await world.until(isReady)
    })

    test('a sponsor that does not exist, then one that cannot pay', async ({ cluster }) => {
      const world = await worldOf(cluster, 'unfunded')
      await world.apply({ channels: 4, minSponsorBalanceXlm: '1' })
      const missing = { status: 'False', reason: 'SponsorMissing' }
      const absent = await world.until((pool) =>
        expect(condition(pool, 'Funded')).toMatchObject(missing),
      )
      expect(condition(absent, 'Ready')).toMatchObject(missing)
      const { address } = world.sponsor
      expect(condition(absent, 'Funded')?.message).toContain(address)
      await world.localnet.pay({ address, asset: 'XLM', amount: 3n * LUMEN })
      await world.until((pool) =>
        expect(condition(pool, 'Ready')).toMatchObject({ status: 'False', reason: 'SponsorShort' }),
      )
      await world.localnet.pay({ address, asset: 'XLM', amount: 20n * LUMEN })
      await world.until(isReady)
    })

    test('a second pool on the same sponsor', async ({ cluster }) => {
      const world = await worldOf(cluster, 'shared')
      await world.apply({ channels: 1 }, 'first')
      await world.until(isReady, 'first')
      await world.apply({ channels: 2, deletionPolicy: 'Retire' }, 'second')
      const blocked = await world.until(
        (pool) =>
          expect(condition(pool, 'Ready')).toMatchObject({ status: 'False', reason: 'Conflict' }),
        'second',
      )
      expect(condition(blocked, 'Ready')?.message).toContain(`${world.namespace}/first`)
      expect(await world.onLedger()).toEqual([0])
      await world.delete('second')
      await world.until((pool) => expect(pool).toBeUndefined(), 'second')
      expect(await world.onLedger()).toEqual([0])
    })

    test('N7: a second pool on the same sponsor, once the first one is deleted as its message advises', async ({
      cluster,
    }) => {
      const world = await worldOf(cluster, 'survivor')
      await world.apply({ channels: 1 }, 'first')
      await world.until(isReady, 'first')
      await world.apply({ channels: 2 }, 'second')
      await world.until(
        (pool) => expect(condition(pool, 'Ready')).toMatchObject({ reason: 'Conflict' }),
        'second',
      )
      // By itself it would look again after three minutes.
      await world.delete('first')
      await world.until(isReady, 'second')
      expect(await world.onLedger()).toEqual([0, 1])
    })

    test('N5: the seed of another sponsor, also while the pool is being deleted', async ({
      cluster,
    }) => {
      const world = await worldOf(cluster, 'reseeded')
      await world.apply({ channels: 2, deletionPolicy: 'Retire' })
      await world.until(isReady)
      await world.secret('testnet-sponsor', { secret: secretOfSeed(randomBytes(32)) })
      const changed = await world.until((pool) =>
        expect(condition(pool, 'Stalled')).toMatchObject({
          status: 'True',
          reason: 'SponsorChanged',
        }),
      )
      expect(condition(changed, 'Ready')?.status).toBe('True')
      await world.delete()
      const blocked = await world.until((pool) =>
        expect(condition(pool, 'Degraded')).toMatchObject({ reason: 'DeletionBlocked' }),
      )
      expect(condition(blocked, 'Degraded')?.message).toContain(world.sponsor.address)
      expect(condition(blocked, 'Ready')?.status).toBe('True')
      expect(await world.onLedger()).toEqual([0, 1])
      await world.secret('testnet-sponsor', { secret: world.sponsor.secret })
      await world.until((pool) => expect(pool).toBeUndefined())
      expect(await world.onLedger()).toEqual([])
    })

    test('a pool that was deleted without the operator, and that the store still has', async ({
      cluster,
    }) => {
      const world = await worldOf(cluster, 'lost')
      await world.store.db
        .insertInto('pools')
        .values({
          network: 'stellar:testnet',
          sponsor: world.sponsor.address,
          uid: 'of another cluster',
          name: 'shop/lost',
        })
        .execute()
      await world.apply({ channels: 1 })
      await world.until((pool) =>
        expect(condition(pool, 'Ready')).toMatchObject({ status: 'False', reason: 'Conflict' }),
      )
      await world.patch({ metadata: { annotations: { 'x402.svc.dev/take-over': 'shop/lost' } } })
      await world.until(isReady)
      expect(await world.onLedger()).toEqual([0])
    })

    test('an RPC that does not answer, and a database without a schema', async ({ cluster }) => {
      const world = await worldOf(cluster, 'unreachable')
      await world.apply({ channels: 1, rpc: { urls: ['http://127.0.0.1:9'] } })
      await world.until((pool) =>
        expect(condition(pool, 'Ready')).toMatchObject({
          status: 'Unknown',
          reason: 'RpcUnreachable',
        }),
      )
      await world.apply({ channels: 1 })
      await world.until(isReady)
    })
  },
)
