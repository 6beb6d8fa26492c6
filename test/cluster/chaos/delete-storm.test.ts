import { expect } from 'vitest'
import { condition, isReady } from '../kubernetes/operator/channel-pool/pool-world.ts'
import { test } from '../support/cluster-test.ts'
import type { ChaosPool } from './support/chaos-pool.ts'
import { openChaosWorld } from './support/chaos-world.ts'
import { isFull, logDuration, pace, usual } from './support/pace.ts'

/** `CHAOS_POOLS` is for a machine that is too small for a thousand. */
const POOLS = pace(40, Number(process.env['CHAOS_POOLS'] ?? 1_000))
/** Every fifth pool cannot be cleaned up: its RPC does not answer. */
const isStuck = (_: unknown, at: number): boolean => at % 5 === 0
/** Another fifth loses its Secret, and is cleaned up with the seed that the operator read before. */
const isSecretless = (_: unknown, at: number): boolean => at % 5 === 1
/** How many pools the test creates at a time. */
const BATCH = 20

/** For the person who waits for `make chaos`. */
const logProgress = (what: string, at: number): void => {
  const isRound = (at + 1) % 50 === 0
  if (isFull && isRound) process.stderr.write(`${at + 1} of ${POOLS} pools ${what}\n`)
}

const limits = { timeout: pace(240_000, 3_600_000) }
const patience = { timeout: pace(120_000, 1_800_000), interval: 50 }

test(
  'many pools deleted at once: those that can be cleaned up disappear, the others say why not',
  limits,
  async ({ cluster }) => {
    await using world = await openChaosWorld(cluster)
    const names = Array.from({ length: POOLS }, (_, at) => `pool-${at}`)
    const pools: ChaosPool[] = []
    for (let at = 0; at < POOLS; at += BATCH) {
      const batch = names.slice(at, at + BATCH)
      pools.push(...(await Promise.all(batch.map((name) => world.pool(name)))))
    }
    world.stand('lonely', usual)
    const createdAt = performance.now()
    for (const pool of pools) await pool.apply({ channels: 1, deletionPolicy: 'Retire' })
    for (const [at, name] of names.entries()) {
      await world.until(isReady, name, patience)
      logProgress('ready', at)
    }
    logDuration(`${POOLS} pools created: all are ready`, performance.now() - createdAt)

    const stuck = pools.filter(isStuck)
    const free = pools.filter((pool) => !stuck.includes(pool))
    for (const { name } of pools.filter(isSecretless)) {
      const path = `/api/v1/namespaces/${world.namespace}/secrets/${name}-sponsor`
      expect((await cluster.request('DELETE', path)).status).toBe(200)
    }
    for (const { rpc } of stuck) rpc.fail('*', { kind: isFull ? 'hang' : 'hang up' })
    const deletedAt = performance.now()
    for (const name of names) await world.delete(name)
    for (const [at, { name }] of free.entries()) {
      await world.until((pool) => expect(pool).toBeUndefined(), name, patience)
      logProgress('deleted', at)
    }
    logDuration(
      `${POOLS} pools deleted, a fifth of them stuck: the others are deleted`,
      performance.now() - deletedAt,
    )
    for (const { account, onLedger } of free) {
      expect(await onLedger()).toEqual([])
      // The mark is gone, too.
      expect(await account()).toMatchObject({ sponsoring: 0, subentries: 0 })
    }
    for (const pool of stuck) {
      const blocked = { status: 'False', reason: 'DeletionBlocked' }
      const blockedPool = await world.until(
        (each) => expect(condition(each, 'Progressing')).toMatchObject(blocked),
        pool.name,
        patience,
      )
      expect(condition(blockedPool, 'Degraded')?.message).toMatch(/^No RPC endpoint answers/)
      expect(await pool.onLedger()).toEqual([0])
    }
  },
)
