import { describe, expect, test } from 'vitest'
import { createAdminServer } from '../../../../src/platform/http/admin.ts'
import { runChecks } from '../../../../src/platform/http/readiness.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'

const well = async () => undefined
const logger = createLogger({ level: 'silent' })

describe('the admin server', () => {
  test('is alive whatever the checks say', async () => {
    const checks = { store: () => Promise.reject(new Error('gone')) }
    const { app } = createAdminServer({ logger, metrics: createMetrics(), checks })

    expect((await app.inject('/livez')).json()).toEqual({ live: true })
  })

  test('is ready while every check passes', async () => {
    const checks = { store: well, sponsor: async () => '250000000' }
    const { app } = createAdminServer({ logger, metrics: createMetrics(), checks })
    const response = await app.inject('/readyz')

    expect(response.statusCode).toBe(200)
    expect(response.json()).toEqual({
      ready: true,
      checks: { store: { ok: true }, sponsor: { ok: true, detail: '250000000' } },
    })
  })

  test('is not ready, and says why, once one fails', async () => {
    const checks = { store: well, draining: () => Promise.reject(new Error('stopping')) }
    const { app } = createAdminServer({ logger, metrics: createMetrics(), checks })
    const response = await app.inject('/readyz')

    expect(response.statusCode).toBe(503)
    expect(response.json()).toEqual({
      ready: false,
      checks: { store: { ok: true }, draining: { ok: false, detail: 'stopping' } },
    })
  })

  test('exposes the metrics as text', async () => {
    const metrics = createMetrics()
    metrics.channelsTotal.set({ network: 'stellar:testnet' }, 8)
    const { app } = createAdminServer({ logger, metrics, checks: {} })
    const response = await app.inject('/metrics')

    expect(response.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(response.body).toContain('svc_channels_total{network="stellar:testnet"} 8')
  })
})

describe('the checks', () => {
  test('do not wait for one that never answers', async () => {
    const never = () => new Promise<undefined>(() => {})

    expect(await runChecks({ never, well }, { timeoutMs: 5 })).toEqual({
      ready: false,
      checks: { never: { ok: false, detail: 'no answer within 5 ms' }, well: { ok: true } },
    })
  })

  test('count one that throws at once as failed', async () => {
    const broken = () => {
      throw new Error('broken')
    }

    expect((await runChecks({ broken })).checks['broken']).toEqual({ ok: false, detail: 'broken' })
  })
})
