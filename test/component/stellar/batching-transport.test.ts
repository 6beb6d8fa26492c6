import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type JsonRpcOptions, jsonRpc } from '../../../src/stellar/json-rpc.ts'
import { FakeClock } from '../../support/fake-clock.ts'

interface Call {
  readonly id: number
  readonly method: string
  readonly params: { readonly n: number }
}
type Answer = { readonly status?: number; readonly body: unknown }

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const echo = ({ id, params }: Call) => ({ jsonrpc: '2.0', id, result: params.n })

/**
 * An endpoint that holds its answers until `release()`, and until `pause` of the body; records how many
 * calls each HTTP request had, zero for one that is no batch, and its bytes.
 */
async function endpoint(
  answer: (calls: Call | readonly Call[]) => Answer,
  pause?: (body: string) => Promise<void> | undefined,
) {
  const sizes: number[] = []
  const bytes: number[] = []
  const gate = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const calls: Call | readonly Call[] = JSON.parse(body)
    sizes.push(Array.isArray(calls) ? calls.length : 0)
    bytes.push(body.length)
    await gate.promise
    await pause?.(body)
    const { status = 200, body: reply } = answer(calls)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, sizes, bytes, release: gate.resolve }
}

const honest = (calls: Call | readonly Call[]): Answer => ({
  body: Array.isArray(calls) ? calls.map(echo).toReversed() : echo(calls as Call),
})

const patience = { timeout: 40_000, interval: 20 }
const many = Array.from({ length: 100 }, (_, n) => n)
const callerOf = (url: string, options: Partial<JsonRpcOptions> = {}) => {
  const call = jsonRpc({ url, allowHttp: true, ...options })
  return (n: number, method = 'simulateTransaction', padding?: string) =>
    call(method, { n, padding }, z.number())
}

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
    const call = callerOf(url, { timeoutMs: 8_000 })
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
    const call = callerOf(url, { timeoutMs: 1_000 })
    const padding = 'x'.repeat(20_000)
    // Four are sent at once; the others wait until the time limit of these has passed.
    const first = many.slice(0, 4).map((n) => call(n, 'simulateTransaction', padding))
    const later = many.slice(4, 8).map((n) => call(n, 'simulateTransaction', padding))
    const ends = await Promise.allSettled(first)
    release()
    expect(ends.map((each) => each.status === 'rejected' && each.reason.message)).toEqual(
      first.map(() => 'simulateTransaction: no answer within 1000 ms'),
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

describe('a large simulation', () => {
  const large = 'x'.repeat(48 * 1024)

  test('is sent alone, a few at a time, and delays no other request', async () => {
    const gate = Promise.withResolvers<void>()
    const { url, sizes, bytes, release } = await endpoint(honest, (text) =>
      text.length > 40_000 ? gate.promise : undefined,
    )
    release()
    const call = callerOf(url)
    const fat = Promise.all(many.slice(0, 30).map((n) => call(n, 'simulateTransaction', large)))
    expect(await Promise.all(many.map((n) => call(n)))).toEqual(many)
    expect(await Promise.all(many.map((n) => call(n, 'sendTransaction')))).toEqual(many)
    expect(bytes.filter((size) => size > 40_000)).toHaveLength(4)
    gate.resolve()
    expect(await fat).toEqual(many.slice(0, 30))
    // The others were batched all the while.
    expect(Math.max(...sizes)).toBe(25)
    expect(Math.max(...bytes)).toBeLessThan(50_000)
  })

  test('is refused once a hundred others wait, and nothing else is', async () => {
    const { url, release } = await endpoint(honest)
    const call = callerOf(url)
    const fat = Array.from({ length: 150 }, (_, n) => call(n, 'simulateTransaction', large))
    const other = call(1)
    const ends = Promise.allSettled(fat)
    await expect(Promise.race(fat.slice(110))).rejects.toMatchObject({
      kind: 'queue_full',
      wasRefused: true,
    })
    release()
    expect(await other).toBe(1)
    const answered = (await ends).filter(({ status }) => status === 'fulfilled')
    // Four in flight; the queue is bounded by bytes before its hundred requests.
    expect(answered).toHaveLength(4 + Math.floor((4 * 1024 * 1024) / (large.length + 60)))
  })
})

describe('a full queue', () => {
  test('refuses simulations, and still takes sends and look-ups', async () => {
    const { url, release } = await endpoint(honest)
    const lengths = new Map<string, number>()
    const call = callerOf(url, { onQueueLength: (queue, length) => lengths.set(queue, length) })
    const simulations = Promise.allSettled(Array.from({ length: 5_000 }, (_, n) => call(n)))
    const sends = many.map((n) => call(n, n % 2 === 0 ? 'sendTransaction' : 'getTransaction'))
    expect(lengths.get('simulate')).toBe(4_000)
    release()
    expect(await Promise.all(sends)).toEqual(many)
    const ends = await simulations
    const reasons = ends.flatMap((each) => (each.status === 'rejected' ? [each.reason.kind] : []))
    expect(new Set(reasons)).toEqual(new Set(['queue_full']))
    expect(lengths.get('simulate')).toBe(0)
  })

  test('refuses what has waited for five seconds', async () => {
    const clock = new FakeClock()
    const { url, sizes, release } = await endpoint(honest)
    const call = callerOf(url, { clock })
    const fat = many.slice(0, 6).map((n) => call(n, 'simulateTransaction', 'x'.repeat(20_000)))
    const ends = Promise.allSettled(fat)
    await vi.waitFor(() => expect(sizes).toHaveLength(4), patience)
    await clock.advance(5_000)
    await expect(fat[5]).rejects.toMatchObject({ kind: 'queue_full' })
    release()
    expect((await ends).filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    expect(sizes).toHaveLength(4)
  })
})
