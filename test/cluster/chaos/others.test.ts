import { describe, expect } from 'vitest'
import { openStore } from '../../../src/platform/database/open.ts'
import { startRestartablePostgres } from '../../component/platform/database/restartable-postgres.ts'
import { condition, isReady } from '../kubernetes/operator/channel-pool/pool-world.ts'
import { test } from '../support/cluster-test.ts'
import { type ChaosWorld, openChaosWorld, until } from './support/chaos-world.ts'
import { limits, logDuration, pace, usual } from './support/pace.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe.concurrent('changes of a pool by others', () => {
  test(
    'are reverted in the fields of the operator, and kept in others',
    limits,
    async ({ cluster }) => {
      await using world = await openChaosWorld(cluster)
      // The watch reports it: no resync is needed.
      world.stand('lonely', usual)
      // Only a pool that is to be retired has a finalizer.
      await world.apply({ channels: 2, deletionPolicy: 'Retire' })
      await world.until(isReady)

      const strippedAt = performance.now()
      await world.patch({ metadata: { finalizers: null, labels: { theirs: 'stays' } } })
      const mended = await world.until((pool) =>
        expect(pool?.metadata.finalizers).toEqual(['x402.svc.dev/cleanup']),
      )
      logDuration('finalizer removed by another writer: it is back', performance.now() - strippedAt)
      expect(mended.metadata.labels).toMatchObject({ theirs: 'stays' })

      const before = (await world.get())?.status
      const path = `/apis/x402.svc.dev/v1beta1/namespaces/${world.namespace}/channelpools/testnet/status`
      const body = { status: { channels: { ready: 99 }, conditions: [] } }
      const edited = await cluster.request('PATCH', path, {
        body,
        contentType: 'application/merge-patch+json',
      })
      expect(edited.status).toBe(200)
      const editedAt = performance.now()
      await world.until((pool) => {
        isReady(pool)
        expect(pool?.status?.channels).toEqual(before?.channels)
      })
      logDuration(
        'status changed by another writer: it is correct again',
        performance.now() - editedAt,
      )
      expect(await world.onLedger()).toEqual([0, 1])
    },
  )
})

/** A separate database for the pool, which the test can stop and start. */
async function openDatabase(world: ChaosWorld) {
  const postgres = await startRestartablePostgres()
  const store = await openStore({ kind: 'postgres', url: postgres.url, poolSize: 1 })
  await store.migrate()
  await store.close()
  await world.secret('x402-database', { url: postgres.url })
  return postgres
}

describe.concurrent('a database outage', () => {
  test(
    'is reported, nothing is signed during it, and work continues after it',
    limits,
    async ({ cluster }) => {
      await using world = await openChaosWorld(cluster)
      await using postgres = await openDatabase(world)
      const operator = world.stand('lonely', usual)
      await world.apply({ channels: 1 })
      await world.until(isReady)

      await postgres.stop()
      await world.patch({ spec: { channels: 3 } })
      await world.until((pool) => {
        const unreachable = { status: 'Unknown', reason: 'StoreUnreachable' }
        expect(condition(pool, 'Ready')).toMatchObject(unreachable)
      })
      await pause(pace(0, 30_000))
      expect(await world.onLedger()).toEqual([0])

      await postgres.start()
      const backAt = performance.now()
      await world.until(isReady)
      logDuration('database outage: everything is as desired', performance.now() - backAt)
      expect(await world.onLedger()).toEqual([0, 1, 2])
      expect(operator.lines.filter(({ msg }) => msg === 'Leading')).toHaveLength(1)
    },
  )
})

describe.concurrent('a leader that is stopped', () => {
  test(
    'finishes, releases the lease, and the next one leads at once',
    limits,
    async ({ cluster }) => {
      await using world = await openChaosWorld(cluster)
      const first = world.stand('first', usual)
      const one = await world.untilLeads('first')
      const second = world.stand('second', usual)
      await until(async () =>
        expect((await fetch(`${await second.adminUrl}/readyz`)).status).toBe(200),
      )
      await world.apply({ channels: 21 })
      await until(async () => expect((await world.get())?.status?.channels?.wanted).toBe(21))

      const stoppedAt = performance.now()
      first.kill('SIGTERM')
      expect(await first.exited).toBe(0)
      const exitedAt = performance.now()
      const two = await world.untilLeads('second')
      logDuration('leader stopped: it has ended', exitedAt - stoppedAt)
      logDuration('leader stopped: the next one leads', performance.now() - exitedAt)
      await world.until(isReady)
      expect(await world.sponsoring()).toBe(44)
      expect(two.leaseTransitions).toBe((one.leaseTransitions ?? 0) + 1)
      // It did not wait for the lease to expire: the leader released it.
      expect(two.leaseDurationSeconds).toBe(30)
      expect(first.lines.some(({ msg }) => msg === 'Lost the lease')).toBe(false)
    },
  )
})
