import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exposeReadiness } from '../../../src/http/readiness.ts'
import { createHttpServer, type HttpServer } from '../../../src/http/server.ts'
import { createLogger } from '../../../src/telemetry/logger.ts'
import { FakeClock } from '../../support/fake-clock.ts'

describe('/ready', () => {
  const clock = new FakeClock()
  let server: HttpServer
  let looks: number
  let isWell: boolean

  beforeEach(() => {
    server = createHttpServer({ logger: createLogger({ level: 'silent' }) })
    looks = 0
    isWell = true
    const look = async () => {
      looks += 1
      if (!isWell) throw new Error('away')
      return `look ${looks}`
    }
    exposeReadiness(server.app, '/ready', { store: look }, { cacheMs: 1_000, clock })
    exposeReadiness(server.app, '/readyz', { store: look })
  })
  afterEach(() => server.close())

  const ask = async (path = '/ready') => {
    const { statusCode, headers, body } = await server.app.inject({ path, headers: { host: 'a' } })
    return { statusCode, type: headers['content-type'], body: JSON.parse(body) }
  }
  const well = (detail: string) => ({
    statusCode: 200,
    type: 'application/json; charset=utf-8',
    body: { ready: true, checks: { store: { ok: true, detail } } },
  })

  test('answers a storm of probes from one look', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask()))
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify(well('look 1'))]),
    )
    await clock.advance(999)
    expect(await ask()).toEqual(well('look 1'))
  })

  test('looks again after a second, and says 503 when something is wrong', async () => {
    await ask()
    isWell = false
    await clock.advance(1_000)
    expect(await ask()).toMatchObject({
      statusCode: 503,
      body: { ready: false, checks: { store: { ok: false, detail: 'away' } } },
    })
    isWell = true
    await clock.advance(1_000)
    expect(await ask()).toEqual(well('look 3'))
  })

  test('looks each time where nothing else was said', async () => {
    await ask('/readyz')
    expect(await ask('/readyz')).toEqual(well('look 2'))
  })
})
