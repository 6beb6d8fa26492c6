import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../src/platform/core/errors/faults.ts'
import {
  settleRefusal,
  verifyRefusal,
} from '../../../../src/platform/http/refusals/payment-refusal.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'

const BODY_LIMIT = 1_024

/** A server with one route of each kind; `lines` collects what it logs. */
function server() {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) }
  const { app } = createHttpServer({
    logger: createLogger({ destination }),
    bodyLimitBytes: BODY_LIMIT,
  })
  app.get('/supported', async () => ({ kinds: [] }))
  app.get('/thing', async () => {
    throw new Fault('not_found', { reason: 'no such thing', details: { id: 'x' } })
  })
  app.post('/plain', async () => ({ ok: true }))
  app.post('/echo', async (request) => request.body)
  app.post('/verify', { config: { refusal: verifyRefusal } }, async (request) => fail(request.body))
  app.post('/settle', { config: { refusal: settleRefusal } }, async (request) => fail(request.body))
  return { app, lines }
}

/** Throws what the body names. */
function fail(body: unknown): never {
  const { throws } = body as { throws: 'fault' | 'error' | 'string' }
  if (throws === 'fault') throw new Fault('unauthorized')
  if (throws === 'string') throw 'a string'
  throw Object.assign(new Error('the secret database url'), { statusCode: 404 })
}

const json = { 'content-type': 'application/json' }

describe('a refusal', () => {
  test.each<{
    when: string
    request: {
      method: 'GET' | 'POST' | 'DELETE'
      url: string
      headers?: Record<string, string>
      payload?: string
    }
    status: number
    code: string
    retryable?: boolean
  }>([
    {
      when: 'answers 404 to an unknown path',
      request: { method: 'GET', url: '/nowhere' },
      status: 404,
      code: 'not_found',
    },
    {
      when: 'answers 400 to a path that is no URL path',
      request: { method: 'GET', url: '/%E0%A4%A' },
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'answers 405 to another method of a path',
      request: { method: 'DELETE', url: '/plain?x=1' },
      status: 405,
      code: 'method_not_allowed',
    },
    {
      when: 'answers 405 before it reads the body',
      request: { method: 'POST', url: '/supported', headers: json, payload: '{' },
      status: 405,
      code: 'method_not_allowed',
    },
    {
      when: 'answers 413 to an oversized body',
      request: { method: 'POST', url: '/plain', headers: json, payload: `"${'x'.repeat(1_100)}"` },
      status: 413,
      code: 'payload_too_large',
    },
    {
      when: 'answers 413 before it checks the content type',
      request: {
        method: 'POST',
        url: '/plain',
        headers: { 'content-type': 'text/plain' },
        payload: 'x'.repeat(1_100),
      },
      status: 413,
      code: 'payload_too_large',
    },
    {
      when: 'answers 415 to a body of another type',
      request: {
        method: 'POST',
        url: '/plain',
        headers: { 'content-type': 'text/plain' },
        payload: '{}',
      },
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      when: 'answers 415 to a malformed content type',
      request: { method: 'POST', url: '/plain', headers: { 'content-type': ';;' }, payload: '{}' },
      status: 415,
      code: 'unsupported_media_type',
    },
    {
      when: 'answers 400 to a body that is not JSON',
      request: { method: 'POST', url: '/plain', headers: json, payload: '{"a":' },
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'answers 400 to an empty body',
      request: { method: 'POST', url: '/plain', headers: json, payload: '' },
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'answers 400 to a body with __proto__',
      request: { method: 'POST', url: '/plain', headers: json, payload: '{"__proto__":{"a":1}}' },
      status: 400,
      code: 'bad_request',
    },
    {
      when: 'carries the fault a handler throws',
      request: { method: 'GET', url: '/thing' },
      status: 404,
      code: 'not_found',
    },
  ])('$when', async ({ request, status, code, retryable = false }) => {
    const response = await server().app.inject(request)

    expect(response.json()).toMatchObject({
      error: { code, reason: expect.stringMatching(/.+/), retryable },
    })
    expect(response.statusCode).toBe(status)
  })

  test('names the methods the path has, in Allow and in its reason', async () => {
    const { app } = server()
    const allowed = async (url: string) => {
      const response = await app.inject({ method: 'DELETE', url })
      return [response.headers['allow'], response.json().error.reason]
    }

    expect(await allowed('/plain')).toEqual(['POST', 'this path supports only POST'])
    expect(await allowed('/supported/')).toEqual(['GET, HEAD', 'this path supports only GET, HEAD'])
  })

  test('carries the details of a fault, and none where there are none', async () => {
    const { app } = server()

    expect((await app.inject('/thing')).json().error.details).toEqual({ id: 'x' })
    expect((await app.inject('/nowhere')).json().error).not.toHaveProperty('details')
  })

  test.each(['error', 'string'] as const)(
    'does not show an unexpected %s, and logs it once',
    async (throws) => {
      const { app, lines } = server()
      const response = await app.inject({ method: 'POST', url: '/verify', payload: { throws } })

      expect(response.statusCode).toBe(500)
      expect(response.body).not.toContain('secret')
      expect(response.json().error).toMatchObject({ code: 'internal_error', retryable: true })
      expect(lines.filter(({ level }) => level === 'error')).toHaveLength(1)
      expect(lines[0]).toMatchObject({ requestId: response.headers['x-request-id'] })
    },
  )
})

describe('a refusal on a payment route', () => {
  const body = { throws: 'fault', paymentRequirements: { network: 'stellar:testnet' } }
  test.each<{ when: string; payload: string | object; reason: string; network: string }>([
    {
      when: 'keeps the code of a fault',
      payload: body,
      reason: 'unauthorized',
      network: 'stellar:testnet',
    },
    {
      when: 'takes the network of the accepted requirements when the others have none',
      payload: {
        throws: 'fault',
        paymentPayload: { accepted: { network: 'stellar:pubnet' } },
      },
      reason: 'unauthorized',
      network: 'stellar:pubnet',
    },
    {
      when: 'has no network when the body names no text',
      payload: { throws: 'fault', paymentRequirements: { network: 7 } },
      reason: 'unauthorized',
      network: '',
    },
    {
      when: 'calls malformed JSON an invalid payload',
      payload: '{',
      reason: 'invalid_payload',
      network: '',
    },
    {
      when: 'calls an oversized body too large',
      payload: `"${'x'.repeat(1_100)}"`,
      reason: 'payload_too_large',
      network: '',
    },
  ])('$when', async ({ payload, reason, network }) => {
    const { app } = server()
    const send = (url: string) => app.inject({ method: 'POST', url, headers: json, payload })
    const verify = (await send('/verify')).json()
    const settle = (await send('/settle')).json()

    expect(verify).toEqual({
      isValid: false,
      invalidReason: reason,
      invalidMessage: verify.error.reason,
      error: expect.objectContaining({ code: expect.any(String) }),
    })
    expect(settle).toEqual({
      success: false,
      errorReason: reason,
      errorMessage: settle.error.reason,
      transaction: '',
      network,
      error: expect.objectContaining({ code: expect.any(String) }),
    })
    expect(verify.invalidMessage).not.toBe('')
  })

  test('gives an unexpected failure the code of its route', async () => {
    const { app } = server()
    const send = async (url: string) =>
      (await app.inject({ method: 'POST', url, payload: { throws: 'error' } })).json()

    expect(await send('/verify')).toMatchObject({ invalidReason: 'unexpected_verify_error' })
    expect(await send('/settle')).toMatchObject({ errorReason: 'unexpected_settle_error' })
  })

  test('keeps the members when only the method is wrong', async () => {
    const { app } = server()

    expect((await app.inject('/verify')).json()).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_payload',
      error: { code: 'method_not_allowed' },
    })
    expect((await app.inject('/settle/')).json()).toMatchObject({ success: false, transaction: '' })
  })
})

describe('an answer', () => {
  test('comes to a GET that claims a JSON body and has none, as the stock client sends it', async () => {
    const response = await server().app.inject({ url: '/supported', headers: json })

    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({ kinds: [] })
  })

  test('comes where a base URL with a trailing slash doubles it, without a redirect', async () => {
    expect((await server().app.inject('//supported/')).statusCode).toBe(200)
  })

  test('comes to JSON with a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const response = await server().app.inject({
      method: 'POST',
      url: '/echo',
      headers,
      payload: '{"a":"ü"}',
    })

    expect(response.json()).toEqual({ a: 'ü' })
  })

  test.each([
    { given: 'req-1', kept: true },
    { given: 'a'.repeat(129), kept: false },
    { given: 'has space', kept: false },
    { given: '', kept: false },
  ])('repeats the request id "$given": $kept', async ({ given, kept }) => {
    const { headers } = await server().app.inject({
      url: '/supported',
      headers: { 'x-request-id': given },
    })

    expect(headers['x-request-id'] === given).toBe(kept)
    expect(headers['x-request-id']).toMatch(/^\S+$/)
  })
})
