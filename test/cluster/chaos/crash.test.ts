import { describe, expect } from 'vitest'
import { fencedWrites } from '../../../src/payments/store/pools/fence.ts'
import { drainPoolChannels } from '../../../src/payments/store/pools/pool-channels.ts'
import { isReady } from '../kubernetes/operator/channel-pool/pool-world.ts'
import { test } from '../support/cluster-test.ts'
import { allButFees, type ChaosPool } from './support/chaos-pool.ts'
import { type ChaosWorld, openChaosWorld, until } from './support/chaos-world.ts'
import { fundingPoints, type HoldPoint, retiringPoints } from './support/hold-points.ts'
import { limits, logDuration } from './support/pace.ts'

const CHANNELS = 3
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

const openPools = (world: ChaosWorld, points: readonly HoldPoint[]): Promise<ChaosPool[]> =>
  Promise.all(points.map(({ name }) => world.pool(name)))

/** Starts the work, and resolves when every pool is held at its point. */
async function holdAll(
  world: ChaosWorld,
  pools: readonly ChaosPool[],
  points: readonly HoldPoint[],
  begin: (pool: ChaosPool) => Promise<void>,
): Promise<void> {
  const held = pools.map((pool, at) => points[at]?.hold(pool, world))
  await Promise.all(pools.map(begin))
  await until(async () => {
    const reached = await Promise.all(held.map((each) => each?.isReached()))
    expect(points.filter((_, at) => !reached[at]).map(({ name }) => name)).toEqual([])
  })
}

function heal(world: ChaosWorld, pools: readonly ChaosPool[]): void {
  world.proxy.heal()
  for (const { rpc } of pools) rpc.heal()
}

/** One account for each index, known to the store, one settlement authority, and no others. */
async function expectFunded(
  world: ChaosWorld,
  pools: readonly ChaosPool[],
  count = CHANNELS,
): Promise<void> {
  const all = upTo(count)
  for (const pool of pools) await world.until(isReady, pool.name)
  for (const pool of pools) {
    expect(await pool.onLedger()).toEqual(all)
    expect(await pool.account()).toMatchObject({ sponsoring: 2 * (count + 1) })
    const rows = await pool.rows()
    expect(rows.map(({ index, state }) => [index, state])).toEqual(all.map((at) => [at, 'active']))
    const created = pool
      .transactions()
      .flatMap(({ successful, operations }) =>
        successful ? operations.filter((type) => type === 'createAccount') : [],
      )
    expect(created).toHaveLength(count + 1)
  }
}

/** Every channel and the settlement authority merged once, and every reserve back with the sponsor. */
async function expectRetired(world: ChaosWorld, pools: readonly ChaosPool[]): Promise<void> {
  for (const { name } of pools) await world.until((pool) => expect(pool).toBeUndefined(), name)
  for (const pool of pools) {
    expect(await pool.onLedger()).toEqual([])
    expect(await pool.account()).toMatchObject({ sponsoring: 0, balance: allButFees(pool) })
    expect((await pool.rows()).map(({ state }) => state)).toEqual(
      upTo(CHANNELS).map(() => 'retired'),
    )
    const merged = pool
      .transactions()
      .flatMap(({ successful, operations }) =>
        successful ? operations.filter((type) => type === 'accountMerge') : [],
      )
    expect(merged).toHaveLength(CHANNELS + 1)
  }
}

describe.concurrent('an operator killed between any two steps', () => {
  test(
    'of creating channels leaves its successor one account for each index',
    limits,
    async ({ cluster }) => {
      await using world = await openChaosWorld(cluster)
      const pools = await openPools(world, fundingPoints)
      const first = world.stand('first')
      const { leaseTransitions = 0 } = await world.untilLeads('first')
      world.stand('second')
      await holdAll(world, pools, fundingPoints, (pool) => pool.apply({ channels: CHANNELS }))

      const killedAt = performance.now()
      first.kill('SIGKILL')
      heal(world, pools)
      const lease = await world.untilLeads('second')
      logDuration(
        'leader killed while it makes channels: the next one leads',
        performance.now() - killedAt,
      )
      await expectFunded(world, pools)
      logDuration(
        'leader killed while it creates channels: all are ready',
        performance.now() - killedAt,
      )
      expect(lease.leaseTransitions).toBe(leaseTransitions + 1)
    },
  )

  test('of retiring channels loses no reserve', limits, async ({ cluster }) => {
    await using world = await openChaosWorld(cluster)
    const pools = await openPools(world, retiringPoints)
    const first = world.stand('first')
    await world.untilLeads('first')
    world.stand('second')
    const spec = { channels: CHANNELS, deletionPolicy: 'Retire' }
    await Promise.all(pools.map((pool) => pool.apply(spec)))
    await expectFunded(world, pools)
    await holdAll(world, pools, retiringPoints, ({ name }) => world.delete(name))

    const killedAt = performance.now()
    first.kill('SIGKILL')
    heal(world, pools)
    await world.untilLeads('second')
    await expectRetired(world, pools)
    logDuration(
      'leader killed while it retires channels: all are merged',
      performance.now() - killedAt,
    )
  })
})

describe.concurrent('an operator paused beyond its lease', () => {
  test('signs nothing when it continues, and ends', limits, async ({ cluster }) => {
    await using world = await openChaosWorld(cluster)
    const pools = await openPools(world, fundingPoints)
    const zombie = world.stand('zombie')
    await world.untilLeads('zombie')
    const successor = world.stand('successor')
    await holdAll(world, pools, fundingPoints, (pool) => pool.apply({ channels: CHANNELS }))
    const fence = await world.epoch()

    const stoppedAt = performance.now()
    zombie.kill('SIGSTOP')
    heal(world, pools)
    await world.untilLeads('successor')
    await expectFunded(world, pools)
    logDuration(
      'leader paused while it creates channels: all are ready',
      performance.now() - stoppedAt,
    )
    const before = pools.map(({ rpc, transactions }) => ({
      sent: new Set(rpc.envelopes),
      onLedger: transactions().length,
    }))
    // There is work to do, and no other operator to do it.
    successor.kill('SIGSTOP')
    for (const { name } of pools) await world.patch({ spec: { channels: CHANNELS + 1 } }, name)
    const wokenAt = performance.now()
    zombie.kill('SIGCONT')
    expect(await zombie.exited).toBe(1)
    logDuration('paused leader continued: it has ended', performance.now() - wokenAt)

    await world.localnet.closeLedger()
    for (const [at, { rpc, transactions }] of pools.entries()) {
      // It may send again a transaction that it had signed before, which has expired.
      expect(rpc.envelopes.filter((envelope) => !before[at]?.sent.has(envelope))).toEqual([])
      expect(transactions()).toHaveLength(before[at]?.onLedger ?? 0)
    }
    successor.kill('SIGCONT')
    // In case the successor was paused too long itself.
    world.stand('spare')
    await expectFunded(world, pools, CHANNELS + 1)
    if (!fence) throw new Error('the zombie had no epoch')
    const [pool] = pools
    const write = fencedWrites(world.store.db, fence)
    const key = { network: 'stellar:testnet', sponsor: pool?.sponsor.address ?? '' } as const
    await expect(write(drainPoolChannels, key, [0])).rejects.toMatchObject({ name: 'Fenced' })
  })
})
