import { expect, test } from 'vitest'
import { createHttpServer } from '../../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'

test('a server may have any time limit of whole milliseconds', async () => {
  const logger = createLogger({ level: 'silent' })
  await using server = createHttpServer({ logger, requestTimeoutMs: 10_001 })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })

  expect((await fetch(url)).status).toBe(404)
})
