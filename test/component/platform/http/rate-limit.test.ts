import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { openStore } from '../../../../src/platform/database/open.ts'
import { createAdminServer, exposeMetrics } from '../../../../src/platform/http/admin.ts'
import { exposeReadiness, readinessRoute } from '../../../../src/platform/http/readiness.ts'
import {
  settleRefusal,
  verifyRefusal,
} from '../../../../src/platform/http/refusals/payment-refusal.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { type RateLimitConfig, rateLimit } from '../../../../src/service/server/rate-limit.ts'
import { acceptedKeys } from '../../../support/api-keys.ts'
import { freshDatabase } from '../../../support/postgres.ts'

const LIMIT = 3
const KEY = 'svc_known'

/** A service with a limit of 3 over a database, as `serve` puts it together. */
async function openService(changes: Partial<RateLimitConfig> = {}, { isStoreLost = false } = {}) {
  await using opened = new AsyncDisposableStack()
  const { url } = opened.use(await freshDatabase())
  const store = opened.use(await openStore({ kind: 'postgres', url, connectTimeoutMs: 1_000 }))
  if (isStoreLost) await store.close()
  const logger = createLogger({ level: 'silent' })
  const metrics = createMetrics()
  const config = {
    rateLimitPerMinute: LIMIT,
    rateLimitPerKeyPerMinute: 0,
    trustedProxyHops: 0,
    store: { kind: 'postgres' },
    ...changes,
  } as const
  const keys = acceptedKeys(KEY)
  const limit = rateLimit(config, { store, keys, metrics, logger, clock: systemClock })
  const server = opened.use(createHttpServer({ logger, rateLimit: limit }))
  server.app.get('/supported', async () => ({ kinds: [] }))
  server.app.post('/verify', { config: { refusal: verifyRefusal } }, async () => ({}))
  server.app.post('/settle', { config: { refusal: settleRefusal } }, async () => ({}))
  exposeMetrics(server.app, metrics)
  exposeReadiness(server.app, readinessRoute, {})
  const base = await server.listen({ host: '127.0.0.1', port: 0 })
  const resources = opened.move()
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(base.url + path, { headers })
  const metric = async (name: string) => {
    const { text } = await metrics.expose()
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
  }
  return {
    url: base.url,
    get,
    metric,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type Service = Awaited<ReturnType<typeof openService>>

const statuses = async (service: Service, requests: number, headers?: Record<string, string>) => {
  const codes = []
  for (let i = 0; i < requests; i += 1)
    codes.push((await service.get('/supported', headers)).status)
  return codes
}

// Retried when a minute ends within a test.
describe('"RATE_LIMIT_PER_MINUTE: every endpoint except /health, /ready, /metrics"', {
  retry: 2,
}, () => {
  let service: Service

  beforeEach(async () => {
    service = await openService()
  })
  afterEach(() => service[Symbol.asyncDispose]())

  test('"over the limit gives HTTP 429 and rate_limited [...] with Retry-After in seconds"', async () => {
    expect(await statuses(service, LIMIT)).toEqual([200, 200, 200])
    const refused = await service.get('/supported')

    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({
      error: { code: 'rate_limited', reason: expect.stringMatching(/\S/), retryable: true },
    })
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThanOrEqual(1)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(await service.metric('svc_rate_limited_total')).toBe(1)
  })

  test('"transport errors keep the x402 fields": rate limit', async () => {
    await statuses(service, LIMIT)
    const post = async (path: string) => {
      const response = await fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"paymentRequirements":{"network":"stellar:testnet"}}',
      })
      return response.json()
    }
    const error = expect.objectContaining({ code: 'rate_limited', retryable: true })
    expect(await post('/verify')).toEqual({
      isValid: false,
      invalidReason: 'rate_limited',
      invalidMessage: expect.stringMatching(/\S/),
      error,
    })
    expect(await post('/settle')).toEqual({
      success: false,
      errorReason: 'rate_limited',
      errorMessage: expect.stringMatching(/\S/),
      transaction: '',
      network: '',
      error,
    })
  })

  test('probes and the scraper neither count nor are refused', async () => {
    for (let i = 0; i < 10; i += 1) {
      expect((await service.get('/ready')).status).toBe(200)
      expect((await service.get('/metrics')).status).toBe(200)
    }
    expect(await statuses(service, LIMIT + 1)).toEqual([200, 200, 200, 429])
  })

  test('comes before everything else: 404, 405 and bodies of any size count', async () => {
    expect((await service.get('/nothing')).status).toBe(404)
    expect((await service.get('/verify')).status).toBe(405)
    const body = 'x'.repeat(200_000)
    const send = () => fetch(`${service.url}/verify`, { method: 'POST', body })
    expect((await send()).status).toBe(413)
    expect((await send()).status).toBe(429)
    expect((await service.get('/nothing')).status).toBe(429)
  })

  test('a client cannot escape with an X-Forwarded-For header', async () => {
    await statuses(service, LIMIT)
    expect(await statuses(service, 1, { 'x-forwarded-for': '192.0.2.1' })).toEqual([429])
  })
})

describe('the rate limit', { retry: 2 }, () => {
  test('counts the client that the trusted proxy names', async () => {
    await using service = await openService({ trustedProxyHops: 1 })
    const of = (address: string) => ({ 'x-forwarded-for': `203.0.113.1, ${address}` })
    expect(await statuses(service, LIMIT + 1, of('192.0.2.1'))).toEqual([200, 200, 200, 429])
    expect(await statuses(service, LIMIT + 1, of('2001:db8::1'))).toEqual([200, 200, 200, 429])
    expect(await statuses(service, 1, of('2001:db8::2'))).toEqual([429])
    expect(await statuses(service, 1, of('2001:db8:0:1::1'))).toEqual([200])
  })

  test('admits requests when the store is lost, and counts them in a metric', async () => {
    await using service = await openService({}, { isStoreLost: true })
    expect(await statuses(service, LIMIT)).toEqual([200, 200, 200])
    expect(await service.metric('svc_rate_limit_unshared_total')).toBe(LIMIT)
  })

  test('is off with 0', async () => {
    await using service = await openService({ rateLimitPerMinute: 0 })
    expect(await statuses(service, 10)).toEqual(new Array(10).fill(200))
  })

  test('of keys is off with 0: then an accepted key has no limit, whatever its address has', async () => {
    await using service = await openService({ rateLimitPerKeyPerMinute: 0 })
    expect(await statuses(service, 10, { 'x-api-key': KEY })).toEqual(new Array(10).fill(200))
    expect(await statuses(service, LIMIT + 1)).toEqual([200, 200, 200, 429])
  })

  test('of keys holds where that of addresses is off', async () => {
    await using service = await openService({
      rateLimitPerMinute: 0,
      rateLimitPerKeyPerMinute: 2,
    })
    expect(await statuses(service, 3, { 'x-api-key': KEY })).toEqual([200, 200, 429])
    expect(await statuses(service, 10)).toEqual(new Array(10).fill(200))
  })

  test('holds without a shared store too', async () => {
    await using service = await openService({ store: { kind: 'memory' } }, { isStoreLost: true })
    expect(await statuses(service, LIMIT + 1)).toEqual([200, 200, 200, 429])
    expect(await service.metric('svc_rate_limit_unshared_total')).toBe(0)
  })

  test('is not on the admin port', async () => {
    const metrics = createMetrics()
    await using admin = createAdminServer({
      logger: createLogger({ level: 'silent' }),
      metrics,
      checks: {},
    })
    for (let i = 0; i < 700; i += 1) {
      expect((await admin.app.inject('/livez')).statusCode).toBe(200)
    }
  })
})
