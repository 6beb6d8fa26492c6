import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  settleRefusal,
  verifyRefusal,
} from '../../../../src/platform/http/refusals/payment-refusal.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { requestOf, sendRaw } from './raw-http.ts'

const json = 'content-type: application/json'
const host = 'host: svc'
const post = 'POST /verify HTTP/1.1'

/** The error body of a path without x402 members. */
interface Refusal {
  readonly status: number
  readonly code: string
}

const opened = new AsyncDisposableStack()
const lines: Record<string, unknown>[] = []
/** Servers with the usual request timeout and with a short one. */
let url: string
let impatientUrl: string

beforeAll(async () => {
  url = await listen()
  impatientUrl = await listen({ requestTimeoutMs: 300 })
})
afterAll(() => opened.disposeAsync())

async function listen(options: { requestTimeoutMs?: number } = {}): Promise<string> {
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) }
  const logger = createLogger({ destination, level: 'warn' })
  const server = opened.use(createHttpServer({ logger, ...options }))
  const { app } = server
  app.post('/slow', async () => {
    await turnOfTheLoop()
    return { late: true }
  })
  app.get('/supported', async () => ({ kinds: [] }))
  app.post('/verify', { config: { refusal: verifyRefusal } }, async () => ({ isValid: true }))
  app.post('/settle', { config: { refusal: settleRefusal } }, async () => ({ success: true }))
  return (await server.listen({ host: '127.0.0.1', port: 0 })).url
}

const sized = (body: Buffer | string) => `content-length: ${Buffer.byteLength(body)}`
const withBody = (body: Buffer | string, ...headers: string[]) =>
  requestOf(post, [host, json, sized(body), ...headers], body)

describe('a hostile request gets a coded refusal and its connection back', () => {
  test.each<Refusal & { when: string; bytes: Buffer | string }>([
    {
      when: 'bytes that are no HTTP',
      bytes: '\x16\x03\x01 tls, perhaps\r\n\r\n',
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'an unknown method',
      bytes: requestOf('STEAL /verify HTTP/1.1', [host]),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'a method of other protocols',
      bytes: requestOf('PROPFIND /verify HTTP/1.1', [host]),
      status: 405,
      code: 'method_not_allowed',
    },
    {
      when: 'a wildcard for a path',
      bytes: requestOf('OPTIONS * HTTP/1.1', [host]),
      status: 404,
      code: 'not_found',
    },
    {
      when: 'a path that is not UTF-8',
      bytes: requestOf('GET /%C0%AF HTTP/1.1', [host]),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'no host',
      bytes: requestOf('GET /supported HTTP/1.1', []),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'two hosts',
      bytes: requestOf('GET /supported HTTP/1.1', [host, 'Host: another']),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'too many headers',
      bytes: requestOf('GET /supported HTTP/1.1', [host, ...new Array(250).fill('a: b')]),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'a tunnel to elsewhere',
      bytes: requestOf('CONNECT example.com:443 HTTP/1.1', [host]),
      status: 405,
      code: 'method_not_allowed',
    },
    {
      when: 'the next version of HTTP',
      bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'a length that is no number',
      bytes: requestOf(post, [host, json, 'content-length: two'], '{}'),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'a negative length',
      bytes: requestOf(post, [host, json, 'content-length: -1'], '{}'),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'the same length twice',
      bytes: requestOf(post, [host, json, 'content-length: 2', 'content-length: 2'], '{}'),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'a body that is nested too deep',
      bytes: withBody('['.repeat(60_000)),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'headers over the limit',
      bytes: requestOf(post, [host, `x-long: ${'x'.repeat(20_000)}`]),
      status: 431,
      code: 'bad_request',
    },
    {
      when: 'two lengths',
      bytes: requestOf(post, [host, json, 'content-length: 2', 'content-length: 3'], '{}'),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'a length beside chunks, as smugglers send it',
      bytes: requestOf(
        post,
        [host, json, 'content-length: 4', 'transfer-encoding: chunked'],
        '0\r\n\r\n',
      ),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'a chunk size that is no number',
      bytes: requestOf(post, [host, json, 'transfer-encoding: chunked'], 'xyz\r\n{}\r\n0\r\n\r\n'),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'a body over the limit in chunks without a length',
      bytes: requestOf(
        post,
        [host, json, 'transfer-encoding: chunked'],
        `30000\r\n${'x'.repeat(0x30000)}\r\n0\r\n\r\n`,
      ),
      status: 413,
      code: 'payload_too_large',
    },
    {
      when: 'a body that is not UTF-8',
      bytes: withBody(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'a compressed body',
      bytes: withBody(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), 'content-encoding: gzip'),
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'two content types, of which the first is another',
      bytes: requestOf(post, [host, 'content-type: text/plain', json, sized('{}')], '{}'),
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      when: 'a body that comes too slowly',
      bytes: requestOf(post, [host, json, 'content-length: 1000'], '{"x402'),
      status: 408,
      code: 'bad_request',
    },
    {
      when: 'headers that come too slowly',
      bytes: 'POST /verify HTTP/1.1\r\nhost: svc\r\nx-',
      status: 408,
      code: 'bad_request',
    },
  ])('$when: $status $code', async ({ bytes, status, code }) => {
    const answer = await sendRaw(status === 408 ? impatientUrl : url, bytes)
    expect(answer.status, answer.body).toBe(status)
    expect(JSON.parse(answer.body).error).toEqual({
      code,
      reason: expect.stringMatching(/\S/),
      retryable: false,
    })
  })

  test('unusual but valid requests get their answer', async () => {
    const odd = [
      withBody('{}', 'expect: a miracle'),
      withBody('{}', 'x-request-id: a', 'x-request-id: b'),
      withBody('{}', 'authorization: Bearer a', 'authorization: Bearer b'),
      withBody('{}', 'upgrade: websocket'),
      requestOf('POST /verify HTTP/1.0', [json, sized('{}')], '{}'),
      requestOf(
        'POST /verify HTTP/1.1',
        [host, 'connection: upgrade', 'upgrade: h2c', json, sized('{}')],
        '{}',
      ),
      requestOf(
        'POST //verify/?a[]=%00&a=1&__proto__[x]=1 HTTP/1.1',
        [host, json, sized('{}')],
        '{}',
      ),
    ]
    for (const bytes of odd) {
      expect(await sendRaw(url, bytes)).toEqual({ status: 200, body: '{"isValid":true}' })
    }
  })

  test.each(['', 'connection: close'])(
    'and what follows a request spoils no answer (%s)',
    async (how) => {
      const head = ['POST /slow HTTP/1.1', host, json, 'content-length: 2', how].filter(Boolean)
      const answer = await sendRaw(url, `${head.join('\r\n')}\r\n\r\n{}no HTTP at all`)
      expect(answer).toEqual({ status: 200, body: '{"late":true}' })
    },
  )

  test('the payment routes answer with the x402 members', async () => {
    const notUtf8 = Buffer.from([0x22, 0xff, 0x22])
    const send = async (path: string) => {
      const line = `POST ${path} HTTP/1.1`
      const answer = await sendRaw(url, requestOf(line, [host, json, sized(notUtf8)], notUtf8))
      return JSON.parse(answer.body)
    }
    expect(await send('/verify')).toMatchObject({ invalidReason: 'invalid_payload' })
    expect(await send('/settle')).toMatchObject({ errorReason: 'invalid_payload', network: '' })
  })

  test.each([
    {
      when: 'the headers are too long',
      status: 431,
      bytes: (line: string) => requestOf(line, [host, `x-long: ${'x'.repeat(20_000)}`]),
    },
    {
      when: 'there are two lengths',
      status: 400,
      bytes: (line: string) =>
        requestOf(line, [host, json, 'content-length: 2', 'content-length: 3'], '{}'),
    },
    {
      when: 'the body comes too slowly',
      status: 408,
      bytes: (line: string) => requestOf(line, [host, json, 'content-length: 1000'], '{"x402'),
    },
  ])('with the x402 members even when $when', async ({ status, bytes }) => {
    const where = status === 408 ? impatientUrl : url
    const error = { code: 'bad_request', reason: expect.any(String), retryable: false }
    const verify = await sendRaw(where, bytes('POST /verify HTTP/1.1'))
    expect(verify.status).toBe(status)
    expect(JSON.parse(verify.body)).toEqual({
      isValid: false,
      invalidReason: 'invalid_payload',
      invalidMessage: expect.stringMatching(/\S/),
      error,
    })
    const settle = await sendRaw(where, bytes('POST /settle HTTP/1.1'))
    expect(settle.status).toBe(status)
    expect(JSON.parse(settle.body)).toEqual({
      success: false,
      errorReason: 'invalid_payload',
      errorMessage: expect.stringMatching(/\S/),
      transaction: '',
      network: '',
      error,
    })
  })

  test('a CONNECT request whose client disconnects at once causes no error', async () => {
    const { hostname, port } = new URL(url)
    for (let i = 0; i < 20; i += 1) {
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write('CONNECT example.com:443 HTTP/1.1\r\nhost: svc\r\n\r\n')
      socket.resetAndDestroy()
    }
    expect((await sendRaw(url, withBody('{}'))).status).toBe(200)
  })

  test('none of it is in the log as a failure', () => {
    expect(lines).toEqual([])
  })
})
