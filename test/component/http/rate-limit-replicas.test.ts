import { describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../../src/core/clock.ts'
import type { RateWindows } from '../../../src/core/rate-windows.ts'
import { RateLimiter } from '../../../src/http/rate-limit/rate-limiter.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { rateWindows } from '../../../src/store/rate-windows.ts'
import { freshDatabase } from '../../support/postgres.ts'

const PER_MINUTE = 200

/** A busy machine is no database that fails: replicas wait for it a hundred times as long. */
const patientClock: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(100 * ms, signal),
}

/** So many replicas on one database, each with connections of its own. */
async function openReplicas(count: number) {
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await freshDatabase())
  const asked: number[] = []
  const failures: unknown[] = []
  const replicas = await Promise.all(
    Array.from({ length: count }, async () => {
      const store = opened.use(await openStore({ kind: 'postgres', url, poolSize: 2 }))
      return new RateLimiter({
        perMinute: PER_MINUTE,
        clock: patientClock,
        windows: counted(store, asked),
        onError: (error) => failures.push(error),
      })
    }),
  )
  const resources = opened.move()
  return {
    replicas,
    asked,
    [Symbol.asyncDispose]: async () => {
      await resources.disposeAsync()
      expect(failures).toEqual([])
    },
  }
}

const counted = ({ db }: Store, asked: number[]): RateWindows => {
  const windows = rateWindows(db)
  return {
    take: (asks, limit) => {
      asked.push(asks.length)
      return windows.take(asks, limit)
    },
  }
}

/** How many of a client's requests passed, sent to the replicas in turn, so many at a time. */
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

// Again when a minute ends within a test.
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

  it('refuses nobody under the limit, whichever replicas he meets', async () => {
    await using open = await openReplicas(8)
    expect(await passed(open.replicas, { requests: 100, atOnce: 8 })).toBe(100)
    expect(await passed(open.replicas.slice(0, 1), { requests: 100, atOnce: 1 })).toBe(100)
  })

  it('costs one statement for many requests, and none once a client is over', async () => {
    await using open = await openReplicas(1)
    await passed(open.replicas, { requests: PER_MINUTE, atOnce: 1 })
    expect(open.asked.length).toBeLessThanOrEqual(PER_MINUTE / 8)
    const before = open.asked.length
    await passed(open.replicas, { requests: 1_000, atOnce: 8 })
    expect(open.asked.length).toBe(before)
  })

  it('asks for many clients in one statement', async () => {
    await using open = await openReplicas(2)
    const clients = Array.from({ length: 400 }, (_, i) => `client ${i % 200}`)
    const verdicts = await Promise.all(
      clients.map((client, i) => open.replicas[i % 2]?.take(client)),
    )
    expect(verdicts.filter((verdict) => verdict && 'mayPass' in verdict)).toHaveLength(400)
    expect(open.asked.length).toBeLessThanOrEqual(6)
  })
})
