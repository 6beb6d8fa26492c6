import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreUnavailable } from '../../../../src/platform/database/postgres/unavailable.ts'
import { addressOf } from './feed-data.ts'
import { type ExplorerWorld, openWorld } from './world.ts'

const opened = new AsyncDisposableStack()
let world: ExplorerWorld
beforeAll(async () => {
  world = opened.use(
    await openWorld(async () => {}, {
      reads: {
        asset: async () => {
          throw new Error('a defect')
        },
        facilitators: async () => {
          throw new StoreUnavailable(new Error('gone'))
        },
      },
    }),
  )
})
afterAll(() => opened.disposeAsync())

describe('explorer_invalid_query', () => {
  const long = 'x'.repeat(200)
  test.each<{ path: string; parameter: string; value: string }>([
    { path: '/feed?limit=0', parameter: 'limit', value: '0' },
    { path: '/feed?limit=101', parameter: 'limit', value: '101' },
    { path: '/feed?limit=ten', parameter: 'limit', value: 'ten' },
    { path: '/feed?limit=', parameter: 'limit', value: '' },
    { path: '/feed?limit=5&limit=6', parameter: 'limit', value: '5,6' },
    { path: '/feed?network=stellar:other', parameter: 'network', value: 'stellar:other' },
    { path: '/feed?asset=USDC', parameter: 'asset', value: 'USDC' },
    { path: '/feed?scheme=Exact', parameter: 'scheme', value: 'Exact' },
    { path: '/feed?seller=me', parameter: 'seller', value: 'me' },
    { path: `/feed?buyer=M${'A'.repeat(68)}`, parameter: 'buyer', value: `M${'A'.repeat(68)}` },
    { path: '/feed?facilitator=', parameter: 'facilitator', value: '' },
    { path: '/feed?facilitator=%00', parameter: 'facilitator', value: ' ' },
    { path: '/facilitator/%00', parameter: 'id', value: ' ' },
    { path: '/feed?confidence=high', parameter: 'confidence', value: 'high' },
    { path: '/feed?page=2', parameter: 'page', value: '2' },
    { path: `/feed?scheme=${long}`, parameter: 'scheme', value: `${'x'.repeat(100)}...` },
    { path: '/feed?scheme=%1b[31m', parameter: 'scheme', value: ' [31m' },
    { path: '/feed?cursor=', parameter: 'cursor', value: '' },
    { path: '/feed?cursor=broken', parameter: 'cursor', value: 'broken' },
    {
      path: cursorOf(['2026-10-01T00:00:00.000Z', 'ab', 0]),
      ...cursorValue(['2026-10-01T00:00:00.000Z', 'ab', 0]),
    },
    { path: cursorOf([1, 'ab'.repeat(32), 0]), ...cursorValue([1, 'ab'.repeat(32), 0]) },
    { path: cursorOf({}), ...cursorValue({}) },
    { path: '/sellers?limit=101', parameter: 'limit', value: '101' },
    { path: '/sellers?offset=-1', parameter: 'offset', value: '-1' },
    { path: '/sellers?registered=yes', parameter: 'registered', value: 'yes' },
    { path: '/sellers?window=1h', parameter: 'window', value: '1h' },
    { path: '/sellers?cursor=a', parameter: 'cursor', value: 'a' },
    { path: '/seller/me', parameter: 'payTo', value: 'me' },
    { path: `/seller/${addressOf('G', 'a')}?limit=5`, parameter: 'limit', value: '5' },
    { path: '/stats?window=all', parameter: 'window', value: 'all' },
    { path: '/stats?limit=1', parameter: 'limit', value: '1' },
    { path: '/ecosystem?network=testnet', parameter: 'network', value: 'testnet' },
    { path: '/ecosystem?window=24h', parameter: 'window', value: '24h' },
    { path: '/ecosystem/timeseries?bucket=week', parameter: 'bucket', value: 'week' },
    { path: '/ecosystem/timeseries?days=91', parameter: 'days', value: '91' },
    { path: '/ecosystem/timeseries?hours=5', parameter: 'hours', value: '5' },
    { path: '/ecosystem/timeseries?bucket=hour&hours=169', parameter: 'hours', value: '169' },
    { path: '/ecosystem/timeseries?bucket=hour&days=5', parameter: 'days', value: '5' },
    {
      path: `/ecosystem/timeseries?days=31&seller=${addressOf('G', 'a')}`,
      parameter: 'days',
      value: '31',
    },
    { path: '/tx/ab', parameter: 'hash', value: 'ab' },
    { path: '/asset/USDC', parameter: 'contract', value: 'USDC' },
  ])('is 400 and names parameter and value: $path', async ({ path, parameter, value }) => {
    const { status, body } = await world.get(path)
    expect(status).toBe(400)
    expect(body).toEqual({
      code: 'explorer_invalid_query',
      reason: expect.stringContaining(`the parameter ${parameter === 'page' ? '"page"' : ''}`),
      retryable: false,
      details: { parameter, value },
    })
  })
})

function cursorOf(content: unknown): string {
  return `/feed?cursor=${cursorValue(content).value}`
}

function cursorValue(content: unknown) {
  const value = Buffer.from(JSON.stringify(content)).toString('base64url')
  return { parameter: 'cursor', value: value.length > 100 ? `${value.slice(0, 100)}...` : value }
}

describe('the flat body', () => {
  test.each([
    { path: '/nowhere', status: 404, code: 'explorer_not_found', retryable: false },
    { path: '/feed/1', status: 404, code: 'explorer_not_found', retryable: false },
    { path: `/tx/${'ab'.repeat(32)}`, status: 404, code: 'explorer_tx_not_found', retryable: true },
    {
      path: '/facilitator/unknown',
      status: 404,
      code: 'explorer_facilitator_not_found',
      retryable: false,
    },
    { path: '/facilitators', status: 503, code: 'service_unavailable', retryable: true },
    { path: '/%', status: 400, code: 'bad_request', retryable: false },
  ])('is that of $code', async ({ path, status, code, retryable }) => {
    const answer = await world.get(path)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ code, reason: expect.any(String), retryable })
    expect(answer.headers).not.toHaveProperty('etag')
  })

  test('is that of explorer_internal_error, with the id of the request', async () => {
    const { status, body } = await world.get(`/asset/${addressOf('C', 'a')}`, {
      'x-request-id': 'mine',
    })
    expect(status).toBe(500)
    expect(body).toEqual({
      ...{ code: 'explorer_internal_error', retryable: true, details: { requestId: 'mine' } },
      reason: 'the explorer failed; the log has the request id',
    })
  })

  test('is that of a method that a path does not have', async () => {
    const { status, body, headers } = await world.ask('POST', '/feed')
    expect(status).toBe(405)
    expect(headers['allow']).toBe('GET, HEAD, OPTIONS')
    expect(body).toMatchObject({ code: 'method_not_allowed', retryable: false })
  })
})

describe('an answer', () => {
  test.each([
    { path: '/feed', seconds: 2 },
    { path: '/stats', seconds: 5 },
    { path: '/ecosystem', seconds: 15 },
    { path: '/sellers', seconds: 5 },
  ])('of $path may be kept $seconds s, and is not sent again to who has it', async (row) => {
    const { status, headers } = await world.get(row.path)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe(`public, max-age=${row.seconds}`)
    const tag = String(headers['etag'])
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
    for (const known of [tag, `"other", ${tag}`, tag.slice(2), '*']) {
      const again = await world.get(row.path, { 'if-none-match': known })
      expect([again.status, again.text]).toEqual([304, ''])
      expect(again.headers['etag']).toBe(tag)
    }
    expect((await world.get(row.path, { 'if-none-match': '"other"' })).status).toBe(200)
  })

  test('may be read by pages of every origin, refusals too', async () => {
    for (const path of ['/feed', '/feed?limit=0', '/stats', '/health']) {
      const { headers } = await world.get(path, { origin: 'https://page.example' })
      expect(headers['access-control-allow-origin']).toBe('*')
    }
    const preflight = await world.ask('OPTIONS', '/feed', { origin: 'https://page.example' })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS')
  })

  test('to HEAD has the headers of GET and no body', async () => {
    const get = await world.get('/feed')
    const head = await world.ask('HEAD', '/feed')
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['etag']).toBe(get.headers['etag'])
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  })

  test('is counted with its time in the store', async () => {
    await world.get('/feed')
    const { text } = await world.metrics.expose()
    expect(text).toMatch(/svc_explorer_query_seconds_count\{query="feed"\} [1-9]/)
  })
})

test('/openapi.json describes the explorer', async () => {
  const { body } = await world.get('/openapi.json')
  expect(Object.keys(body.paths)).toEqual(
    expect.arrayContaining(['/feed', '/seller/{payTo}', '/ecosystem/timeseries', '/announce']),
  )
})
