import { expect } from 'vitest'
import { condition, isReady } from '../operator/pool-world.ts'
import { test } from '../support/cluster-test.ts'
import type { ChaosPool } from './support/chaos-pool.ts'
import { openChaosWorld } from './support/chaos-world.ts'
import { isFull, logDuration, pace, usual } from './support/pace.ts'

const POOLS = pace(40, 1_000)
/** Every fifth pool cannot be cleaned up, for one of two reasons in turn. */
const isStuck = (_: unknown, at: number): boolean => at % 5 === 0

const limits = { timeout: pace(240_000, 3_600_000) }
const patience = { timeout: pace(120_000, 1_800_000), interval: 50 }

test(
  'many pools deleted at once: those that can be cleaned up disappear, the others say why not',
  limits,
  async ({ cluster }) => {
    await using world = await openChaosWorld(cluster)
    const pools: ChaosPool[] = []
    for (let at = 0; at < POOLS; at++) pools.push(await world.pool(`pool-${at}`))
    world.stand('lonely', usual)
    for (const pool of pools) await pool.apply({ channels: 1, deletionPolicy: 'Retire' })
    for (const { name } of pools) await world.until(isReady, name, patience)

    const stuck = pools.filter(isStuck)
    const free = pools.filter((pool) => !stuck.includes(pool))
    const secretless = stuck.filter((_, at) => at % 2 === 0)
    for (const { name } of secretless) {
      const path = `/api/v1/namespaces/${world.namespace}/secrets/${name}-sponsor`
      expect((await cluster.request('DELETE', path)).status).toBe(200)
    }
    for (const { rpc } of stuck) rpc.fail('*', { kind: isFull ? 'hang' : 'hang up' })
    const deletedAt = performance.now()
    for (const { name } of pools) await world.delete(name)
    for (const { name } of free) {
      await world.until((pool) => expect(pool).toBeUndefined(), name, patience)
    }
    logDuration(
      `${POOLS} pools deleted, a fifth of them stuck: the others are deleted`,
      performance.now() - deletedAt,
    )
    for (const { account, onLedger } of free) {
      expect(await onLedger()).toEqual([])
      expect(await account()).toMatchObject({ sponsoring: 0 })
    }
    for (const pool of stuck) {
      const blocked = { status: 'False', reason: 'DeletionBlocked' }
      const blockedPool = await world.until(
        (each) => expect(condition(each, 'Progressing')).toMatchObject(blocked),
        pool.name,
        patience,
      )
      expect(condition(blockedPool, 'Ready')?.message).toMatch(
        secretless.includes(pool) ? /^There is no Secret / : /^No RPC endpoint answers/,
      )
      expect(await pool.onLedger()).toEqual([0])
    }
  },
)
