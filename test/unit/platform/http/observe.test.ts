import { describe, expect, test } from 'vitest'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import type { RequestFacts } from '../../../../src/platform/telemetry/metrics/metrics.ts'

describe('an observed server', () => {
  test('reports the declared path and never the requested one, so that callers cannot choose labels', async () => {
    const observed: RequestFacts[] = []
    const logger = createLogger({ level: 'silent' })
    const { app } = createHttpServer({ logger, observe: (facts) => observed.push(facts) })
    app.get('/items/:id', async () => ({}))
    await app.inject('/items/1?x=y')
    await app.inject('/anything/else')

    expect(observed).toEqual([
      { method: 'GET', route: '/items/:id', status: 200, seconds: expect.any(Number) },
      { method: 'GET', route: 'unmatched', status: 404, seconds: expect.any(Number) },
    ])
  })
})
