import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { settleRefusal } from '../../../../src/platform/http/refusals/payment-refusal.ts'
import { PortUnavailable } from '../../../../src/platform/http/server/listen.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const LONG_MS = 60_000
const KEEP_ALIVE_MS = 10_000
const anyPort = { host: '127.0.0.1', port: 0 }

/** A server whose `/slow` answers when the test lets it, with a clock that the test moves. */
async function slowServer() {
  const clock = new FakeClock()
  const server = createHttpServer({ logger: createLogger({ level: 'silent' }), clock })
  const entered = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  server.app.get('/slow', async () => {
    entered.resolve()
    await release.promise
    return { slow: true }
  })
  server.app.post('/settle', { config: { refusal: settleRefusal } }, async () => ({}))
  server.app.get('/health', { config: { isProbe: true } }, async () => ({ ok: true }))
  const { url, port } = await server.listen(anyPort)
  return { server, clock, url, port, entered: entered.promise, release: release.resolve }
}

/** A client that sends its requests over one connection and keeps it. */
function oneConnection(): Agent & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() })
}

/** An answer, and the port that its connection has on the client's side. */
async function answerOf(url: string, agent: Agent, method = 'GET') {
  const sent = request(url, { agent, method, headers: { 'content-type': 'application/json' } })
  sent.end(method === 'POST' ? '{}' : undefined)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const { statusCode, headers, socket } = answer
  const { localPort } = socket
  await text(answer)
  return { statusCode, headers, localPort }
}

describe('a server that drains', () => {
  test('finishes the request in flight and refuses new ones with 503', async () => {
    const { server, url, entered, release } = await slowServer()
    const slow = fetch(`${url}/slow`)
    await entered
    const closed = server.close(LONG_MS)

    const refused = await fetch(`${url}/settle`, { method: 'POST', body: '{}' })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(refused.headers.get('connection')).toBe('close')
    expect(await refused.json()).toMatchObject({
      success: false,
      errorReason: 'unexpected_settle_error',
      transaction: '',
      network: '',
      error: { code: 'service_unavailable', retryable: true },
    })

    release()
    expect(await (await slow).json()).toEqual({ slow: true })
    expect(await closed).toBe(0)
  })

  test('still answers probes', async () => {
    const { server, url, entered, release } = await slowServer()
    const slow = fetch(`${url}/slow`)
    await entered
    server.drain()

    expect((await fetch(`${url}/health`)).status).toBe(200)
    release()
    await slow
    await server.close()
  })

  test('does not wait for an idle connection', async () => {
    const { server, url } = await slowServer()
    await (await fetch(`${url}/health`)).text()

    expect(await server.close(LONG_MS)).toBe(0)
  })

  test('cuts off the requests left after the grace period, and counts them', async () => {
    const { server, clock, url, entered, release } = await slowServer()
    const slow = fetch(`${url}/slow`)
    await entered

    const closed = server.close(1)
    const cutOff = expect(slow).rejects.toThrow()
    await clock.advance(1)
    expect(await closed).toBe(1)
    await cutOff
    release()
  })

  test('no request of a client that keeps its connections fails while replicas are replaced', async () => {
    const { server, clock, url, entered, release } = await slowServer()
    using agent = oneConnection()
    const slow = answerOf(`${url}/slow`, agent)
    await entered
    const closed = server.close(LONG_MS, KEEP_ALIVE_MS)
    release()

    // In flight when the server was to stop: the client must not send another request over this connection.
    expect(await slow).toMatchObject({ statusCode: 200, headers: { connection: 'close' } })
    await clock.advance(KEEP_ALIVE_MS)
    expect(await closed).toBe(0)
  })

  test('serves what arrives over an idle connection, and ends the connection with the answer', async () => {
    const { server, clock, url } = await slowServer()
    using agent = oneConnection()
    const before = await answerOf(`${url}/settle`, agent, 'POST')
    expect(before.headers.connection).toBe('keep-alive')
    const closed = server.close(LONG_MS, KEEP_ALIVE_MS)
    expect(server.isDraining).toBe(true)

    const after = await answerOf(`${url}/settle`, agent, 'POST')
    expect(after).toMatchObject({
      statusCode: 200,
      headers: { connection: 'close' },
      localPort: before.localPort,
    })
    await clock.advance(KEEP_ALIVE_MS)
    expect(await closed).toBe(0)
  })

  test('serves new connections for the whole time, although none was open when it was to stop', async () => {
    const { server, clock, url } = await slowServer()
    const closed = server.close(LONG_MS, KEEP_ALIVE_MS)

    // As from a node that has not heard of the end, right after the signal and at the end of the time.
    for (const waitMs of [0, KEEP_ALIVE_MS - 1]) {
      await clock.advance(waitMs)
      using agent = oneConnection()
      const answer = await answerOf(`${url}/settle`, agent, 'POST')
      expect(answer).toMatchObject({ statusCode: 200, headers: { connection: 'close' } })
    }

    await clock.advance(1)
    expect(await closed).toBe(0)
    using agent = oneConnection()
    await expect(answerOf(`${url}/settle`, agent, 'POST')).rejects.toThrow('ECONNREFUSED')
  })

  test('does not serve beyond the grace period', async () => {
    const { server, clock } = await slowServer()
    const closed = server.close(KEEP_ALIVE_MS, LONG_MS)

    await clock.advance(KEEP_ALIVE_MS)
    expect(await closed).toBe(0)
  })

  test('closes although a caller disconnected', async () => {
    const { server, url, entered, release } = await slowServer()
    const caller = new AbortController()
    const slow = fetch(`${url}/slow`, { signal: caller.signal })
    await entered
    caller.abort()
    await expect(slow).rejects.toThrow()

    expect(await server.close(LONG_MS)).toBe(0)
    release()
  })
})

describe('a port', () => {
  test('that is taken gives a clear message', async () => {
    await using first = createHttpServer({ logger: createLogger({ level: 'silent' }) })
    await using second = createHttpServer({ logger: createLogger({ level: 'silent' }) })
    const { host, port } = await first.listen(anyPort)

    const refused = second.listen({ host, port })
    await expect(refused).rejects.toThrow(PortUnavailable)
    await expect(refused).rejects.toThrow(`port ${port} on 127.0.0.1 is taken by another program`)
  })
})

describe('bytes that are no HTTP request', () => {
  test.each([
    { when: 'noise', bytes: 'HELLO\r\n\r\n', status: '400' },
    {
      when: 'headers without end',
      bytes: `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      status: '431',
    },
  ])('get the error body: $when', async ({ bytes, status }) => {
    const { server, port } = await slowServer()
    const socket = connect(port, '127.0.0.1')
    socket.write(bytes)
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')

    expect(head).toContain(`HTTP/1.1 ${status}`)
    expect(JSON.parse(body)).toMatchObject({ error: { code: 'bad_request', retryable: false } })
    await server.close()
  })
})
