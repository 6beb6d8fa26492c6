import { describe, expect, test } from 'vitest'
import type { RateWindows } from '../../../../../src/platform/core/rate-windows.ts'
import { RateLimiter } from '../../../../../src/platform/http/rate-limit/rate-limiter.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const MINUTE = 60_000
/** The start of a minute. */
const START = 1_790_000_040_000

describe('a limiter for one replica', () => {
  const limiterOf = (perMinute: number) => {
    const clock = new FakeClock(START)
    const limiter = new RateLimiter({ perMinute, clock })
    const passed = async (client: string, requests: number) => {
      const verdicts = []
      for (let i = 0; i < requests; i += 1) verdicts.push(await limiter.take(client))
      return verdicts.filter((verdict) => 'mayPass' in verdict).length
    }
    return { clock, limiter, passed }
  }

  test('lets exactly the limit pass in a minute', async () => {
    const { passed } = limiterOf(600)
    expect(await passed('a', 650)).toBe(600)
  })

  test('counts each client by itself', async () => {
    const { passed } = limiterOf(5)
    expect(await passed('a', 9)).toBe(5)
    expect(await passed('b', 9)).toBe(5)
  })

  test('starts at zero in the next minute', async () => {
    const { clock, passed } = limiterOf(5)
    await clock.advance(MINUTE - 1)
    expect(await passed('a', 9)).toBe(5)
    await clock.advance(1)
    expect(await passed('a', 9)).toBe(5)
  })

  test('answers the seconds until the next minute, at least 1', async () => {
    const { clock, limiter, passed } = limiterOf(1)
    await passed('a', 1)
    expect(await limiter.take('a')).toEqual({ retryAfterSeconds: 60 })
    await clock.advance(20_500)
    expect(await limiter.take('a')).toEqual({ retryAfterSeconds: 40 })
    await clock.advance(39_499)
    expect(await limiter.take('a')).toEqual({ retryAfterSeconds: 1 })
  })

  test('decides without a promise', () => {
    expect(limiterOf(5).limiter.take('a')).toEqual({ mayPass: true })
  })

  test('drops clients with their minute, and the oldest beyond 100,000', async () => {
    const { clock, limiter } = limiterOf(5)
    for (let i = 0; i < 100_010; i += 1) void limiter.take(`client ${i}`)
    expect(limiter.size).toBe(100_000)
    await clock.advance(MINUTE)
    void limiter.take('a')
    expect(limiter.size).toBe(1)
  })
})

describe('a limiter whose shared windows do not answer', () => {
  function limiterOver(windows: RateWindows) {
    const clock = new FakeClock(START)
    const errors: unknown[] = []
    let unshared = 0
    const limiter = new RateLimiter({
      perMinute: 5,
      clock,
      windows,
      onUnshared: () => {
        unshared += 1
      },
      onError: (error) => errors.push(error),
    })
    return { clock, limiter, errors, unshared: () => unshared }
  }

  const lost: RateWindows = { take: () => Promise.reject(new Error('connection lost')) }
  const passes = { mayPass: true }
  const refuses = { retryAfterSeconds: expect.any(Number) }

  test('admits requests, and reports the error', async () => {
    const { limiter, errors, unshared } = limiterOver(lost)
    expect(await limiter.take('a')).toEqual(passes)
    expect(await limiter.take('a')).toEqual(passes)
    expect(unshared()).toBe(2)
    expect(errors).toEqual([new Error('connection lost')])
  })

  test('still holds each client to the limit by its own count', async () => {
    const { limiter } = limiterOver(lost)
    for (let i = 0; i < 5; i += 1) expect(await limiter.take('a')).toEqual(passes)
    expect(await limiter.take('a')).toEqual(refuses)
    expect(await limiter.take('b')).toEqual(passes)
  })

  test('waits 250 ms for an answer, then not at all for a second', async () => {
    let requests = 0
    const { clock, limiter, unshared } = limiterOver({
      take: () => {
        requests += 1
        return new Promise(() => undefined)
      },
    })
    const [first, other] = [limiter.take('a'), limiter.take('b')]
    await clock.advance(249)
    expect(unshared()).toBe(0)
    await clock.advance(1)
    expect([await first, await other]).toEqual([passes, passes])
    expect(await limiter.take('a')).toEqual(passes)
    expect(requests).toBe(1)

    await clock.advance(1_000)
    const again = limiter.take('a')
    expect(requests).toBe(2)
    await clock.advance(250)
    expect(await again).toEqual(passes)
  })

  test('reports the calls it admitted once there are answers again', async () => {
    let isLost = true
    const reported: number[] = []
    const { clock, limiter } = limiterOver({
      take: async (requests) => {
        if (isLost) throw new Error('connection lost')
        reported.push(...requests.map(({ used }) => used))
        return requests.map(() => ({ minute: 'm', msLeft: 10, admitted: 1, allowance: 0, used: 4 }))
      },
    })
    for (let i = 0; i < 3; i += 1) await limiter.take('a')
    isLost = false
    await clock.advance(1_000)
    expect(await limiter.take('a')).toEqual(passes)
    expect(reported).toEqual([3])
  })
})
