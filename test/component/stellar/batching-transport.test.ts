import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { jsonRpc } from '../../../src/stellar/json-rpc.ts'

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

/** An endpoint that holds its answers until `release()`; records how many calls each HTTP request had. */
async function endpoint(answer: (calls: Call | readonly Call[]) => Answer) {
  const sizes: number[] = []
  const gate = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const calls: Call | readonly Call[] = JSON.parse(body)
    sizes.push(Array.isArray(calls) ? calls.length : 0)
    await gate.promise
    const { status = 200, body: reply } = answer(calls)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, sizes, release: gate.resolve }
}

const honest = (calls: Call | readonly Call[]): Answer => ({
  body: Array.isArray(calls) ? calls.map(echo).toReversed() : echo(calls as Call),
})

const patience = { timeout: 40_000, interval: 20 }
const many = Array.from({ length: 100 }, (_, n) => n)
const callerOf = (url: string, timeoutMs = 10_000) => {
  const call = jsonRpc({ url, allowHttp: true, timeoutMs })
  return (n: number, method = 'simulateTransaction') => call(method, { n }, z.number())
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
    const call = callerOf(url, 8_000)
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
    { when: 'with HTTP 400', refusal: { status: 400, body: {} } },
    {
      when: 'with a single JSON-RPC error',
      refusal: { body: { jsonrpc: '2.0', id: null, error: { code: -32_600, message: 'no' } } },
    },
  ])('are sent one by one after a batch was refused $when', async ({ refusal }) => {
    const { url, sizes, release } = await endpoint((calls) =>
      Array.isArray(calls) ? refusal : honest(calls),
    )
    const call = callerOf(url)
    const answers = Promise.all(many.map((n) => call(n)))
    await vi.waitFor(() => expect(sizes).toHaveLength(2), patience)
    release()
    expect(await answers).toEqual(many)
    const batches = sizes.filter((size) => size > 0).length
    expect(await Promise.all(many.map((n) => call(n)))).toEqual(many)
    expect(sizes.filter((size) => size > 0)).toHaveLength(batches)
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

  test('are never sent when they time out in the queue', async () => {
    const { url, sizes } = await endpoint(honest)
    const call = callerOf(url, 100)
    const answers = await Promise.allSettled(many.map((n) => call(n)))
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true)
    expect(sizes).toHaveLength(2)
  })
})
