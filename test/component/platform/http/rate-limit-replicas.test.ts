import { describe, expect, it } from 'vitest'
import type { RateWindows } from '../../../../src/platform/core/rate-windows.ts'
import { type Clock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import { openStore, type Store } from '../../../../src/platform/database/open.ts'
import { rateWindows } from '../../../../src/platform/database/rate-windows.ts'
import { RateLimiter } from '../../../../src/platform/http/rate-limit/rate-limiter.ts'
import { freshDatabase } from '../../../support/postgres.ts'

const PER_MINUTE = 200

/** On a busy machine the database is slow: replicas wait a hundred times as long. */
const patientClock: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(100 * ms, signal),
}

/** Replicas on one database, each with its own connections. */
async function openReplicas(count: number) {
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await freshDatabase())
  const statements: number[] = []
  const failures: unknown[] = []
  const replicas = await Promise.all(
    Array.from({ length: count }, async () => {
      const store = opened.use(await openStore({ kind: 'postgres', url, poolSize: 2 }))
      return new RateLimiter({
        perMinute: PER_MINUTE,
        clock: patientClock,
        windows: counted(store, statements),
        onError: (error) => failures.push(error),
      })
    }),
  )
  const resources = opened.move()
  return {
    replicas,
    statements,
    [Symbol.asyncDispose]: async () => {
      await resources.disposeAsync()
      expect(failures).toEqual([])
    },
  }
}

const counted = ({ db }: Store, statements: number[]): RateWindows => {
  const windows = rateWindows(db)
  return {
    take: (requests, limit) => {
      statements.push(requests.length)
      return windows.take(requests, limit)
    },
  }
}

/** How many of a client's requests passed, sent to the replicas in turn, `atOnce` at a time. */
async function passed(
  replicas: readonly RateLimiter[],
  { requests, atOnce, client = '192.0.2.1' }: { requests: number; atOnce: number; client?: string },
): Promise<number> {
  let [sent, count] = [0, 0]
  const sender = async () => {
    while (sent < requests) {
      const replica = replicas[sent % replicas.length]
      sent += 1
      const verdict = await replica?.take(client)
      if (verdict && 'mayPass' in verdict) count += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sender))
  return count
}

// Retried when a minute ends within a test.
describe('the limit of all replicas together', { retry: 2 }, () => {
  it.each([
    { count: 1, atOnce: 1 },
    { count: 2, atOnce: 1 },
    { count: 3, atOnce: 16 },
    { count: 8, atOnce: 64 },
  ])('holds within a tenth: $count replicas, $atOnce requests at once', async (load) => {
    await using open = await openReplicas(load.count)
    const count = await passed(open.replicas, { ...load, requests: 4 * PER_MINUTE })
    expect(count).toBeGreaterThanOrEqual(PER_MINUTE)
    expect(count).toBeLessThanOrEqual(1.1 * PER_MINUTE)
  })

  it('refuses no client under the limit, whichever replicas it meets', async () => {
    await using open = await openReplicas(8)
    expect(await passed(open.replicas, { requests: 100, atOnce: 8 })).toBe(100)
    expect(await passed(open.replicas.slice(0, 1), { requests: 100, atOnce: 1 })).toBe(100)
  })

  it('costs one statement for many requests, and none once a client is over', async () => {
    await using open = await openReplicas(1)
    await passed(open.replicas, { requests: PER_MINUTE, atOnce: 1 })
    expect(open.statements.length).toBeLessThanOrEqual(PER_MINUTE / 8)
    const before = open.statements.length
    await passed(open.replicas, { requests: 1_000, atOnce: 8 })
    expect(open.statements.length).toBe(before)
  })

  it('requests the quota of many clients in one statement', async () => {
    await using open = await openReplicas(2)
    const clients = Array.from({ length: 400 }, (_, i) => `client ${i % 200}`)
    const verdicts = await Promise.all(
      clients.map((client, i) => open.replicas[i % 2]?.take(client)),
    )
    expect(verdicts.filter((verdict) => verdict && 'mayPass' in verdict)).toHaveLength(400)
    expect(open.statements.length).toBeLessThanOrEqual(6)
  })
})
