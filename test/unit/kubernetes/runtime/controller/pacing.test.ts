import { describe, expect, test } from 'vitest'
import { CircuitBreaker } from '../../../../../src/kubernetes/runtime/controller/circuit-breaker.ts'
import { RetryLimiter } from '../../../../../src/kubernetes/runtime/controller/retry-limiter.ts'
import { jittered } from '../../../../../src/kubernetes/runtime/time/backoff.ts'
import { TokenBucket } from '../../../../../src/kubernetes/runtime/time/token-bucket.ts'
import { backoffMs } from '../../../../../src/platform/core/time/backoff.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const highest = () => 1 - Number.EPSILON

describe('the backoff', () => {
  test.each([
    { failures: 1, random: highest, ms: 200 },
    { failures: 2, random: highest, ms: 400 },
    { failures: 5, random: highest, ms: 3_200 },
    { failures: 20, random: highest, ms: 60_000 },
    { failures: 2_000, random: highest, ms: 60_000 },
    { failures: 3, random: () => 0.5, ms: 400 },
    { failures: 9, random: () => 0, ms: 0 },
  ])('waits at most $ms ms after failure $failures', ({ failures, random, ms }) => {
    expect(backoffMs({ baseMs: 200, maxMs: 60_000 }, failures, random)).toBe(ms)
  })

  test('varies by its share in both directions', () => {
    expect([0, 0.5, 1].map((chance) => jittered(1_000, 0.1, () => chance))).toEqual([
      900, 1000, 1100,
    ])
  })
})

describe('the retry limiter', () => {
  const newLimiter = () => new RetryLimiter({ clock: new FakeClock(), random: highest })

  test('waits longer with each failure of a key, and starts again once it is forgotten', () => {
    const limiter = newLimiter()

    expect([limiter.next('a'), limiter.next('a'), limiter.next('b')]).toEqual([200, 400, 200])
    limiter.forget('a')
    expect(limiter.next('a')).toBe(200)
  })

  test('waits at least the Retry-After of the server', () => {
    expect(newLimiter().next('a', 5_000)).toBe(5_000)
  })

  test('retries ten keys of a namespace a second when a thousand fail at once', () => {
    const limiter = newLimiter()
    const waits = Array.from({ length: 1_000 }, (_, index) => limiter.next(String(index)))

    expect(waits[99]).toBe(200)
    expect(waits[999]).toBeCloseTo(90_000, -1)
  })

  test('lets no failures of one namespace delay the retries of another', () => {
    const limiter = newLimiter()
    for (let index = 0; index < 1_000; index++) limiter.next(`hostile/${index}`)

    expect(limiter.next('other/a')).toBe(200)
  })

  test('has the numbers of its caller', () => {
    const limits = { backoff: { baseMs: 50, maxMs: 100 }, perSecond: 1, burst: 3 }
    const limiter = new RetryLimiter({ clock: new FakeClock(), random: highest, limits })

    expect(['a', 'a', 'a', 'a'].map((key) => limiter.next(key))).toEqual([50, 100, 100, 1_000])
  })
})

test('the token bucket reserves tokens in the order of the calls', async () => {
  const clock = new FakeClock()
  const bucket = new TokenBucket({ perSecond: 10, burst: 2, clock })

  expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 100, 200])
  await clock.advance(300)
  expect(bucket.tryTake()).toBe(true)
  expect(bucket.tryTake()).toBe(false)
})

test('the circuit breaker holds back an object that is reconciled without end, and no other', async () => {
  const clock = new FakeClock()
  const breaker = new CircuitBreaker({ clock })
  const passes = Array.from({ length: 101 }, () => breaker.check('hot').pass)

  expect(passes.filter((pass) => pass)).toHaveLength(100)
  expect(passes.at(-1)).toBe(false)
  expect(breaker.check('hot')).toEqual({ pass: false, afterMs: 300_000, opened: false })
  expect(breaker.check('cold').pass).toBe(true)
  await clock.advance(300_000)
  expect(breaker.check('hot').pass).toBe(true)
})

test('a new spec closes the circuit breaker, but not for a writer that never ends', async () => {
  const clock = new FakeClock()
  const breaker = new CircuitBreaker({ clock })
  const passesOfOneSpec = () =>
    Array.from({ length: 200 }, () => breaker.check('hot')).filter(({ pass }) => pass).length
  const specs = Array.from({ length: 30 }, () => {
    breaker.renew('hot')
    return passesOfOneSpec()
  })

  expect(specs).toEqual([...Array(20).fill(100), ...Array(10).fill(0)])
  await clock.advance(60_000)
  breaker.renew('hot')
  expect(passesOfOneSpec()).toBe(100)
})
