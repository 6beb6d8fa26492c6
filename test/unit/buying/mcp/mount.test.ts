import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Facts } from '../../../../src/buying/mcp/facts/facts.ts'
import { httpFacts } from '../../../../src/buying/mcp/facts/http-facts.ts'
import { exposeMcp } from '../../../../src/buying/mcp/mount.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { ApiKeys } from '../../../../src/platform/http/access/api-keys.ts'
import { RateLimiter } from '../../../../src/platform/http/rate-limit/rate-limiter.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { connect, generations, textOf } from '../../../support/mcp-clients.ts'

/* The rules of the transport: who may ask, how much, and what happens to a call that nobody waits for. */

let opened = new AsyncDisposableStack()
afterEach(async () => {
  await opened.disposeAsync()
  opened = new AsyncDisposableStack()
})

interface ServeOptions {
  readonly facilitator?: string
  readonly perMinute?: number
}

async function serve({ facilitator = 'http://127.0.0.1:1', perMinute }: ServeOptions = {}) {
  const keys = new ApiKeys(systemClock)
  const byAddress =
    perMinute === undefined ? undefined : new RateLimiter({ perMinute, clock: systemClock })
  const server = opened.use(
    createHttpServer({
      logger: createLogger({ level: 'fatal' }),
      bodyLimitBytes: 4_096,
      rateLimit: { byAddress, byKey: undefined, keys, trustedProxyHops: 0 },
    }),
  )
  const addresses: string[] = []
  const factsFor = (address: string): Facts => {
    addresses.push(address)
    return httpFacts({ facilitator, clock: systemClock })
  }
  exposeMcp(server.app, { version: '1.0.0', trustedProxyHops: 0, factsFor })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  return { url: `${url}/mcp`, addresses }
}

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

describe('POST /mcp', () => {
  test('answers a request without a session, and names none', async () => {
    const { url, addresses } = await serve()
    const answer = await post(url, listTools)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('mcp-session-id')).toBeNull()
    expect(await answer.text()).toContain('search_resources')
    expect(addresses).toEqual(['127.0.0.1'])
  })

  test.each([
    ['http://evil.example', 403],
    ['null', 403],
    ['https://127.0.0.1.evil.example', 403],
    ['http://localhost:6274', 200],
    ['http://127.0.0.1:8080', 200],
  ])('answers a page of %s with %i', async (origin, status) => {
    const { url } = await serve()
    const answer = await post(url, listTools, { origin })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    await answer.text()
  })

  test.each([
    ['a batch', [listTools, listTools], 400],
    ['a body that is no JSON', '{', 400],
    ['a body that is too large', { ...listTools, params: { x: 'x'.repeat(5_000) } }, 413],
  ])('refuses %s', async (_, body, status) => {
    const { url, addresses } = await serve()
    const answer = await post(url, body)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_000 } })
    expect(addresses).toEqual([])
  })

  test.each(['GET', 'DELETE'])('has no stream and no session for %s', async (method) => {
    const { url } = await serve()
    const answer = await fetch(url, { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  })

  test.each([
    ['of a list', { toolsListChanged: true, promptsListChanged: true }],
    ['of a resource', { resourceSubscriptions: ['file:///x'] }],
    ['of nothing', {}],
  ])('acknowledges a subscription to changes %s as one to nothing, and ends it', async (_, to) => {
    const { url } = await serve()
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const method = 'subscriptions/listen'
    const asked = { jsonrpc: '2.0', id: 7, method, params: { notifications: to, _meta } }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
    const answer = await post(url, asked, headers)
    expect(answer.status).toBe(200)
    const messages = (await answer.text())
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)))
    expect(messages).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 7, result: { resultType: 'complete' } },
    ])
  })

  test('counts each request for the rate limit of its address', async () => {
    const { url } = await serve({ perMinute: 2 })
    const answers = [await post(url, listTools), await post(url, listTools)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const refused = await post(url, listTools)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ error: { data: { code: 'rate_limited' } } })
  })
})

describe.each(generations)('a call by %s', (generation) => {
  test('that is cancelled ends the request behind it', async () => {
    const silent = await silentServer()
    const { url } = await serve({ facilitator: silent.url })
    await using client = await connect(generation, { url })
    const ending = new AbortController()
    const call = client.call('search_resources', { query: 'x' }, { signal: ending.signal })
    const outcome = expect(call).rejects.toThrow()
    await vi.waitFor(() => expect(silent.open()).toBe(1), 120_000)
    ending.abort(new Error('no longer wanted'))
    await outcome
    // The connection to the facilitator ends: what the tool asked is not waited for.
    if (generation === 'sdk 2') await vi.waitFor(() => expect(silent.open()).toBe(0), 120_000)
  })

  test('of a service that does not answer says so', async () => {
    const { url } = await serve()
    await using client = await connect(generation, { url })
    const answer = await client.call('search_resources', { query: 'x' })
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toMatch(/^unreachable: 127\.0\.0\.1:1 did not answer: .+ Tell the user/)
  })
})

/** Takes requests and never answers. */
async function silentServer() {
  let open = 0
  const server = createServer((request) => {
    open += 1
    request.socket.once('close', () => {
      open -= 1
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, open: () => open }
}
