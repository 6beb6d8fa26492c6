import { once } from 'node:events'
import { createServer } from 'node:net'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { openStore } from '../../../../../src/platform/database/open.ts'
import { createMetrics } from '../../../../../src/platform/telemetry/metrics/metrics.ts'
import { serveExplorerBeside } from '../../../../../src/service/explorer/beside/beside.ts'
import { loadServeConfig } from '../../../../../src/settings/serve.ts'
import { openEventStream } from '../../../../support/explorer/event-stream.ts'
import { freePort } from '../../../../support/free-port.ts'
import { freshDatabase } from '../../../../support/postgres.ts'

/** A service whose explorer tries again each time that the test says so. */
async function startBeside(port: number, broken = false) {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await freshDatabase())
  const config = loadServeConfig({
    NETWORKS: 'stellar:testnet',
    TESTNET_RPC_URL: 'http://127.0.0.1:1',
    TESTNET_ALLOW_HTTP: 'true',
    TESTNET_SPONSOR_SECRET: 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4',
    DATABASE_URL: database.url,
    HOST: '127.0.0.1',
    EXPLORER_PORT: String(port),
    EXPLORER_RATE_LIMIT_PER_MINUTE: '5',
    LOG_LEVEL: 'fatal',
  })
  const store = opened.use(await openStore(config.store))
  await store.migrate()
  const lines: Record<string, unknown>[] = []
  const retries: (() => void)[] = []
  const metrics = createMetrics()
  const beside = opened.use(
    serveExplorerBeside({
      service: config,
      config: { ...config.explorer!, ...(broken && { networks: null as never }) },
      store,
      metrics,
      logger: pino({}, { write: (line) => lines.push(JSON.parse(line)) }),
      clock: {
        ...systemClock,
        sleep: (ms, signal) =>
          ms === 30_000
            ? new Promise((resolve) => {
                retries.push(resolve)
                signal?.addEventListener('abort', () => resolve())
              })
            : systemClock.sleep(ms, signal),
      },
      stop: new AbortController().signal,
    }),
  )
  const resources = opened.move()
  return {
    ...{ lines, metrics, beside },
    retry: () => retries.shift()?.(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const soon = { timeout: 120_000, interval: 20 }

test('the explorer is tried again, counts in the metrics of the process, limits the requests of an address, and drains', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  await using service = await startBeside(port)
  await vi.waitFor(() => expect(service.lines).toHaveLength(1), soon)
  expect(service.lines[0]).toMatchObject({
    reason: expect.stringContaining(`EXPLORER_PORT: port ${port} on 127.0.0.1 is taken`),
    msg: expect.stringContaining('Payments go on without it'),
  })
  other.close()
  await once(other, 'close')
  service.retry()
  await vi.waitFor(async () => expect((await fetch(`${url}/ready`)).status).toBe(200), soon)

  expect((await fetch(`${url}/feed`)).status).toBe(200)
  const { text } = await service.metrics.expose()
  expect(text).toContain('svc_background_errors_total{task="explorer"} 1\n')
  expect(text).toMatch(/^svc_explorer_query_seconds_count\{query="feed"\} 1$/m)
  expect(text).toMatch(/^svc_http_request_duration_seconds_count\{.*route="\/feed".*\} 1$/m)

  const stream = await openEventStream(`${url}/ui/live`)
  const statuses = []
  // Even if a minute ends during the test, one minute has more than five.
  for (let i = 0; i < 12; i += 1) statuses.push((await fetch(`${url}/ui/sellers`)).status)
  expect(statuses).toContain(429)
  expect((await service.metrics.expose()).text).toMatch(/^svc_rate_limited_total [1-9]/m)
  expect((await fetch(`${url}/ready`)).status).toBe(200)

  await service.beside[Symbol.asyncDispose]()
  await stream.ended
  await expect(fetch(`${url}/ready`)).rejects.toThrow('fetch failed')
  expect((await service.metrics.expose()).text).not.toContain('query="feed"')
  expect(service.lines).toHaveLength(1)
})

test('a failure of the thread ends neither the process nor the attempts', async () => {
  await using service = await startBeside(await freePort(), true)
  for (const failures of [1, 2]) {
    await vi.waitFor(() => expect(service.lines).toHaveLength(failures), soon)
    expect(service.lines[failures - 1]).toMatchObject({ err: { type: 'TypeError' } })
    service.retry()
  }
})
