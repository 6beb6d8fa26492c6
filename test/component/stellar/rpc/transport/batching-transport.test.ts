import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { jsonRpc } from '../../../../../src/stellar/rpc/transport/json-rpc.ts'
import { callerOf, echo, endpoint, honest, many, patience } from '../../counting-endpoint.ts'

describe('requests to one endpoint', () => {
  test('are sent one by one while few are in flight', async () => {
    const { url, sizes, release } = await endpoint(honest)
    release()
    const call = callerOf(url)
    expect(await call(7)).toBe(7)
    expect(await Promise.all([1, 2].map((n) => call(n)))).toEqual([1, 2])
    expect(sizes).toEqual([0, 0, 0])
  })

  test('are batched while many are in flight, and each gets its own answer', async () => {
    const { url, sizes, release } = await endpoint(honest)
    const call = callerOf(url)
    const answers = Promise.all(many.map((n) => call(n)))
    await vi.waitFor(() => expect(sizes).toHaveLength(2), patience)
    release()
    expect(await answers).toEqual(many)
    expect(sizes.toSorted()).toEqual([0, 0, 23, 25, 25, 25])
  })

  test('queue only for a moment', async () => {
    const { url, sizes, release } = await endpoint(honest)
    const call = callerOf(url, { clock: systemClock })
    const answers = Promise.allSettled(many.slice(0, 4).map((n) => call(n)))
    await vi.waitFor(() => expect(sizes).toEqual([0, 0, 2]), patience)
    release()
    await answers
  })

  test('never queue for a method that is not batched', async () => {
    const { url, sizes, release } = await endpoint(honest)
    const call = callerOf(url)
    const answers = Promise.all(many.slice(0, 20).map((n) => call(n, 'getLatestLedger')))
    await vi.waitFor(() => expect(sizes).toHaveLength(20), patience)
    release()
    await answers
    expect(new Set(sizes)).toEqual(new Set([0]))
  })

  test.each([
    { when: 'leaves one out', change: (all: unknown[]) => all.slice(1), lost: 1 },
    { when: 'is not one of a batch', change: () => ({ what: 1 }), lost: 18 },
  ])('are not sent again when the answer to a batch $when', async ({ change, lost }) => {
    const { url, sizes, release } = await endpoint((calls) =>
      Array.isArray(calls) ? { body: change(calls.map(echo)) } : honest(calls),
    )
    const call = callerOf(url)
    const answers = Promise.allSettled(many.slice(0, 20).map((n) => call(n)))
    await vi.waitFor(() => expect(sizes).toHaveLength(2), patience)
    release()
    const failures = (await answers).flatMap((each) =>
      each.status === 'rejected' ? [each.reason] : [],
    )
    expect(failures.map(({ kind, wasRefused }) => [kind, wasRefused])).toEqual(
      Array(lost).fill(['unreadable', false]),
    )
    expect(sizes.filter((size) => size > 0)).toEqual([18])
  })

  test('have their time limit from when they are sent, not from when they queue', async () => {
    const { url, release } = await endpoint(honest)
    const call = callerOf(url, { timeoutMs: 3_000 })
    const padding = 'x'.repeat(20_000)
    // Four are sent at once; the others wait until the time limit of these has passed.
    const first = many.slice(0, 4).map((n) => call(n, 'simulateTransaction', padding))
    const later = many.slice(4, 8).map((n) => call(n, 'simulateTransaction', padding))
    const ends = await Promise.allSettled(first)
    release()
    expect(ends.map((each) => each.status === 'rejected' && each.reason.message)).toEqual(
      first.map(() => 'simulateTransaction: no answer within 3000 ms'),
    )
    expect(await Promise.all(later)).toEqual([4, 5, 6, 7])
  })

  test('are never sent when their callers give up while they queue', async () => {
    const { url, sizes, release } = await endpoint(honest)
    const abort = new AbortController()
    const call = jsonRpc({ url, allowHttp: true })
    const answers = many.map((n) => call('simulateTransaction', { n }, z.number(), abort.signal))
    abort.abort(new Error('given up'))
    const ends = await Promise.allSettled(answers)
    release()
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true)
    expect(sizes.length).toBeLessThanOrEqual(2)
  })
})
