import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPaths } from '../../../../../src/platform/core/http-paths.ts'
import { startStack } from '../../../../support/stack.ts'

/* What pages of other origins may read, and what is compressed. */

const origin = 'https://dashboard.example'
const preflight = {
  origin,
  'access-control-request-method': 'GET',
  // The stock client sends this with GET too.
  'access-control-request-headers': 'content-type',
}
const readable = ['/', '/supported', '/health', '/ready', '/openapi.json']

const opened = new AsyncDisposableStack()
let url: string

beforeAll(async () => {
  const stack = opened.use(await startStack({ closeEveryMs: 'on-send' }))
  url = stack.baseUrl
})
afterAll(() => opened.disposeAsync())

/** Without the headers that `fetch` adds, and without decompression. */
async function send(method: string, path: string, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>()
  request(url + path, { method, headers }, resolve)
    .on('error', reject)
    .end()
  const response = await promise
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

const allowedOrigin = async (method: string, path: string) =>
  (await send(method, path, { origin })).headers['access-control-allow-origin']

describe('a page of another origin', () => {
  test.each(readable)('may read %s, without credentials', async (path) => {
    const { status, headers } = await send('GET', path, { origin })
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After, X-Request-Id',
    })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  test.each(readable)('gets a preflight of %s answered with 204, for a day', async (path) => {
    const { status, headers, body } = await send('OPTIONS', path, preflight)
    expect(status).toBe(204)
    expect(body).toHaveLength(0)
    expect(headers).toMatchObject({
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-max-age': '86400',
    })
    const accepted = String(headers['access-control-allow-headers']).toLowerCase()
    expect(accepted).toContain('content-type')
    expect(accepted).not.toMatch(/authorization|api-key|\*/)
  })

  test.each(['/usage', '/metrics', '/nowhere'])('may not read %s', async (path) => {
    expect(await allowedOrigin('GET', path)).toBeUndefined()
    expect(await allowedOrigin('OPTIONS', path)).toBeUndefined()
  })

  test.each(['/verify', '/settle'])(
    'may not read %s: keys do not belong in browsers',
    async (path) => {
      expect(await allowedOrigin('POST', path)).toBeUndefined()
      const { status, headers } = await send('OPTIONS', path, preflight)
      expect(status).toBe(405)
      expect(headers['allow']).toBe('POST')
    },
  )

  test('gets 404 to a preflight of an unknown path', async () => {
    expect((await send('OPTIONS', '/nowhere', preflight)).status).toBe(404)
  })

  // Again when a minute ends within the test.
  test('may read that it is over the limit, and its preflights count', { retry: 2 }, async () => {
    await using limited = await startStack({ closeEveryMs: 'on-send', perMinute: 2 })
    const preflights = []
    for (let at = 0; at < 3; at += 1) {
      const { status } = await fetch(`${limited.baseUrl}/supported`, { method: 'OPTIONS' })
      preflights.push(status)
    }
    expect(preflights).toEqual([204, 204, 429])
    const { status, headers } = await fetch(`${limited.baseUrl}/supported`, { headers: { origin } })
    expect(status).toBe(429)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After')
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const probe = await fetch(`${limited.baseUrl}/health`, { method: 'OPTIONS' })
    expect(probe.status).toBe(204)
  })
})

describe('compression', () => {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync } as const

  test.each<{ accept: string; coding: keyof typeof decode }>([
    { accept: 'gzip', coding: 'gzip' },
    { accept: 'br', coding: 'br' },
    { accept: 'gzip, deflate, br, zstd', coding: 'br' },
    { accept: 'br;q=0.1, gzip;q=0.9', coding: 'gzip' },
    { accept: 'br;q=0, gzip', coding: 'gzip' },
  ])('of a long answer is the one that "$accept" prefers', async ({ accept, coding }) => {
    const plain = await send('GET', '/openapi.json')
    for (let at = 0; at < 2; at += 1) {
      const { headers, body } = await send('GET', '/openapi.json', { 'accept-encoding': accept })
      expect(headers).toMatchObject({
        'content-encoding': coding,
        'content-type': 'application/json; charset=utf-8',
        vary: 'Accept-Encoding',
        'content-length': String(body.length),
      })
      expect(decode[coding](body).equals(plain.body)).toBe(true)
      expect(body.length).toBeLessThan(plain.body.length / 4)
    }
  })

  test.each(['', 'identity', 'zstd', 'gzip;q=0, br;q=0', '*'])(
    'is left out for "%s"',
    async (accept) => {
      const { headers, body } = await send('GET', '/openapi.json', { 'accept-encoding': accept })
      expect(headers).not.toHaveProperty('content-encoding')
      // A cache has to know that another client gets other bytes.
      expect(headers['vary']).toBe('Accept-Encoding')
      expect(JSON.parse(body.toString())).toHaveProperty('openapi')
    },
  )

  test.each(['/ready', '/supported'])('is left out of a short answer: %s', async (path) => {
    const { headers, body } = await send('GET', path, { 'accept-encoding': 'gzip, br' })
    expect(body.length).toBeLessThan(1_024)
    expect(headers).not.toHaveProperty('content-encoding')
    expect(headers).not.toHaveProperty('vary')
  })

  test('follows an answer that changes', async () => {
    const health = async () => {
      const { headers, body } = await send('GET', '/health', { 'accept-encoding': 'gzip' })
      const isCoded = headers['content-encoding'] === 'gzip'
      return JSON.parse((isCoded ? gunzipSync(body) : body).toString())
    }
    await expect.poll(async () => (await health()).state, { timeout: 120_000 }).toBe('healthy')
  })

  test('leaves payments as they are', async () => {
    const network = 'x'.repeat(5_000)
    const response = await fetch(`${url}/settle`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'gzip' },
      body: JSON.stringify({ x402Version: 1, paymentRequirements: { network } }),
    })
    const { headers } = response
    expect((await response.text()).length).toBeGreaterThan(5_000)
    expect(headers.get('content-encoding')).toBeNull()
  })
})

describe('other methods and paths', () => {
  test.each(readable)('HEAD of %s has the headers of GET and no body', async (path) => {
    const get = await send('GET', path)
    const head = await send('HEAD', path)
    expect(head.status).toBe(200)
    expect(head.body).toHaveLength(0)
    expect(head.headers['content-type']).toBe(get.headers['content-type'])
    if (path === '/openapi.json') {
      expect(head.headers['content-length']).toBe(String(get.body.length))
    }
  })

  test('HEAD of a compressed answer has its length', async () => {
    const accept = { 'accept-encoding': 'br' }
    const { body } = await send('GET', '/openapi.json', accept)
    const head = await send('HEAD', '/openapi.json', accept)
    expect(head.headers).toMatchObject({
      'content-length': String(body.length),
      'content-encoding': 'br',
    })
  })

  test.each(['/supported/', '//supported', '/health/'])(
    '%s is answered as without the slash',
    async (path) => {
      const { status, headers } = await send('GET', path, { origin })
      expect(status).toBe(200)
      expect(headers['access-control-allow-origin']).toBe('*')
      expect((await send('OPTIONS', path, preflight)).status).toBe(204)
    },
  )

  test('a browser that looks for an icon finds none, and a crawler has to leave', async () => {
    const icon = await send('GET', browserPaths.favicon)
    expect(icon.status).toBe(204)
    const robots = await send('GET', browserPaths.robots)
    expect(robots.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(robots.body.toString()).toBe('User-agent: *\nDisallow: /\n')
  })
})
