import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exposeReadiness, readinessRoute } from '../../../../src/platform/http/readiness.ts'
import { createHttpServer, type HttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

describe('/ready', () => {
  const clock = new FakeClock()
  let server: HttpServer
  let checks: number
  let isWell: boolean

  beforeEach(() => {
    server = createHttpServer({ logger: createLogger({ level: 'silent' }) })
    checks = 0
    isWell = true
    const check = async () => {
      checks += 1
      if (!isWell) throw new Error('away')
      return `check ${checks}`
    }
    exposeReadiness(server.app, readinessRoute, { store: check }, { cacheMs: 1_000, clock })
    exposeReadiness(server.app, { ...readinessRoute, path: '/readyz' }, { store: check })
  })
  afterEach(() => server.close())

  const get = async (path = '/ready') => {
    const { statusCode, headers, body } = await server.app.inject({ path, headers: { host: 'a' } })
    return { statusCode, type: headers['content-type'], body: JSON.parse(body) }
  }
  const well = (detail: string) => ({
    statusCode: 200,
    type: 'application/json; charset=utf-8',
    body: { ready: true, checks: { store: { ok: true, detail } } },
  })

  test('answers many probes at once from one check', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => get()))
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify(well('check 1'))]),
    )
    await clock.advance(999)
    expect(await get()).toEqual(well('check 1'))
  })

  test('checks again after a second, and answers 503 when a check fails', async () => {
    await get()
    isWell = false
    await clock.advance(1_000)
    expect(await get()).toMatchObject({
      statusCode: 503,
      body: { ready: false, checks: { store: { ok: false, detail: 'away' } } },
    })
    isWell = true
    await clock.advance(1_000)
    expect(await get()).toEqual(well('check 3'))
  })

  test('checks each time by default', async () => {
    await get('/readyz')
    expect(await get('/readyz')).toEqual(well('check 2'))
  })
})
