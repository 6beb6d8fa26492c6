import { describe, expect, test, vi } from 'vitest'
import { FakeClock } from '../../support/fake-clock.ts'
import {
  type Answer,
  type Call,
  callerOf,
  endpoint,
  honest,
  many,
  patience,
} from './counting-endpoint.ts'

describe('a refused batch', () => {
  const hold = async (refuse: (calls: readonly Call[]) => Answer | undefined) => {
    const clock = new FakeClock()
    const { url, sizes, bytes, release } = await endpoint((calls) =>
      Array.isArray(calls) ? (refuse(calls) ?? honest(calls)) : honest(calls),
    )
    release()
    const call = callerOf(url, { clock })
    return { clock, sizes, bytes, call, together: () => Promise.all(many.map((n) => call(n))) }
  }

  test.each([
    { when: 'HTTP 400', refusal: { status: 400, body: {} } },
    { when: 'HTTP 404', refusal: { status: 404, body: {} } },
    {
      when: 'a single JSON-RPC error',
      refusal: { body: { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no' } } },
    },
  ])(
    'is halved down to single requests after $when, and batches are tried again after a minute',
    async ({ refusal }) => {
      let acceptsBatches = false
      const { clock, sizes, together } = await hold(() => (acceptsBatches ? undefined : refusal))
      expect(await together()).toEqual(many)
      const tried = sizes.filter((size) => size > 0)
      expect(tried.length).toBeGreaterThan(0)
      sizes.length = 0
      acceptsBatches = true
      expect(await together()).toEqual(many)
      expect(sizes).toEqual(many.map(() => 0))
      await clock.advance(60_000)
      sizes.length = 0
      expect(await together()).toEqual(many)
      expect(sizes.filter((size) => size > 0)).toEqual([25, 25, 25, 23])
    },
  )

  test('that the endpoint takes in part is halved only until it fits', async () => {
    const { sizes, together } = await hold((calls) =>
      calls.length > 10 ? { status: 400, body: {} } : undefined,
    )
    expect(await together()).toEqual(many)
    sizes.length = 0
    expect(await together()).toEqual(many)
    expect(Math.max(...sizes)).toBe(6)
  })

  test('for its size is halved in bytes, not in requests', async () => {
    const { sizes, bytes, call } = await hold((calls) =>
      JSON.stringify(calls).length > 100_000 ? { status: 413, body: {} } : undefined,
    )
    const padding = 'x'.repeat(8_000)
    const fat = () => Promise.all(many.map((n) => call(n, 'simulateTransaction', padding)))
    expect(await fat()).toEqual(many)
    bytes.length = 0
    expect(await fat()).toEqual(many)
    expect(Math.max(...bytes)).toBeLessThanOrEqual(100_000)
    sizes.length = 0
    await Promise.all(many.map((n) => call(n)))
    expect(sizes.filter((size) => size > 0)).toEqual([25, 25, 25, 23])
  })

  test('does not exist for the refusal of a single request', async () => {
    const { url, sizes, release } = await endpoint((calls) =>
      !Array.isArray(calls) && (calls as Call).params.n === 7
        ? { status: 404, body: {} }
        : honest(calls),
    )
    const call = callerOf(url)
    release()
    await expect(call(7)).rejects.toMatchObject({ kind: 'transport', wasRefused: true })
    expect(await Promise.all(many.slice(10).map((n) => call(n)))).toEqual(many.slice(10))
    expect(sizes.filter((size) => size > 0)).toEqual([25, 25, 25, 13])
  })
})

describe('HTTP 500 in answer to a batch', () => {
  const poisoned = (calls: Call | readonly Call[]): Answer =>
    [calls].flat().some(({ params }) => params.n === 3) ? { status: 500, body: {} } : honest(calls)

  test('fails only the half that fails again', async () => {
    const { url, sizes, release } = await endpoint(poisoned)
    const call = callerOf(url)
    const answers = Promise.allSettled(many.slice(0, 20).map((n) => call(n)))
    await vi.waitFor(() => expect(sizes).toHaveLength(2), patience)
    release()
    const failed = (await answers).flatMap(({ status }, n) => (status === 'rejected' ? n : []))
    expect(failed).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(sizes.filter((size) => size > 0).toSorted()).toEqual([18, 9, 9])
  })

  test('is no reason to send a transaction again, whose first answer is unknown', async () => {
    const { url, sizes, release } = await endpoint(poisoned)
    const call = callerOf(url)
    const method = (n: number) => (n % 2 === 0 ? 'sendTransaction' : 'getTransaction')
    const answers = Promise.allSettled(many.slice(0, 10).map((n) => call(n, method(n))))
    await vi.waitFor(() => expect(sizes).toHaveLength(2), patience)
    release()
    const failed = (await answers).flatMap((each, n) => (each.status === 'rejected' ? n : []))
    expect(failed).toEqual([1, 2, 3, 4, 5, 6, 8])
  })
})
