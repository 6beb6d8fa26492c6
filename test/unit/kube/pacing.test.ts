import { describe, expect, test } from 'vitest'
import { backoffMs, jittered } from '../../../src/kube/backoff.ts'
import { CircuitBreaker } from '../../../src/kube/circuit-breaker.ts'
import { RetryLimiter } from '../../../src/kube/retry-limiter.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import { FakeClock } from '../../support/fake-clock.ts'

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

  test('strays by its share to both sides', () => {
    expect([0, 0.5, 1].map((chance) => jittered(1_000, 0.1, () => chance))).toEqual([
      900, 1000, 1100,
    ])
  })
})

describe('the retry limiter', () => {
  const classes = {
    kubernetes: { baseMs: 200, maxMs: 60_000 },
    ledger: { baseMs: 2_000, maxMs: 300_000 },
  }
  const newLimiter = () => new RetryLimiter({ classes, clock: new FakeClock(), random: highest })

  test('grows with the failures of each key by its class, and starts anew when forgotten', () => {
    const limiter = newLimiter()

    expect([limiter.next('a'), limiter.next('a'), limiter.next('b')]).toEqual([200, 400, 200])
    expect(limiter.next('c', 'ledger')).toBe(2_000)
    expect(limiter.next('d', 'no such class')).toBe(200)
    limiter.forget('a')
    expect(limiter.next('a')).toBe(200)
  })

  test('never comes back earlier than the server asked', () => {
    expect(newLimiter().next('a', 'kubernetes', 5_000)).toBe(5_000)
  })

  test('lets ten keys a second come back when a thousand fail at once', () => {
    const limiter = newLimiter()
    const waits = Array.from({ length: 1_000 }, (_, index) => limiter.next(String(index)))

    expect(waits[99]).toBe(200)
    expect(waits[999]).toBeCloseTo(90_000, -1)
  })
})

test('the token bucket makes takers line up', async () => {
  const clock = new FakeClock()
  const bucket = new TokenBucket({ perSecond: 10, burst: 2, clock })

  expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([0, 0, 100, 200])
  await clock.advance(300)
  expect(bucket.tryTake()).toBe(true)
  expect(bucket.tryTake()).toBe(false)
})

test('the circuit breaker holds back what is reconciled without end, and nothing else', async () => {
  const clock = new FakeClock()
  const breaker = new CircuitBreaker({ clock, burst: 3, perSecond: 1, openMs: 300_000 })
  const verdicts = Array.from({ length: 4 }, () => breaker.judge('hot').pass)

  expect(verdicts).toEqual([true, true, true, false])
  expect(breaker.judge('hot')).toEqual({ pass: false, afterMs: 300_000, opened: false })
  expect(breaker.judge('cold').pass).toBe(true)
  await clock.advance(300_000)
  expect(breaker.judge('hot').pass).toBe(true)
})
