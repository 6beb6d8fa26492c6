import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { exposeExplorerApi } from '../../../src/explorer/api/expose-api.ts'
import { LiveUpdates } from '../../../src/explorer/web/live/live-updates.ts'
import { exposePages } from '../../../src/explorer/web/pages.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { createHttpServer } from '../../../src/platform/http/server/server.ts'
import { type MemoryExplorer, memoryReads } from '../../support/explorer/memory-reads.ts'
import { paymentRecord } from '../../support/explorer/payment-records.ts'

const NOW = Date.parse('2026-09-17T12:01:00.000Z')

/** The API and the pages as a service has them, over payments in memory. */
async function startExplorer() {
  const explorer: MemoryExplorer = { payments: [paymentRecord()], now: NOW }
  const memory = memoryReads(explorer)
  const counts = { feed: 0 }
  const reads = {
    ...memory,
    feed: (...asked: Parameters<typeof memory.feed>) => {
      counts.feed += 1
      return memory.feed(...asked)
    },
  }
  let elapsedMs = 0
  const clock = { ...systemClock, now: () => NOW, monotonic: () => elapsedMs }
  const log = pino({ level: 'silent' })
  const server = createHttpServer({ logger: log })
  const live = new LiveUpdates({ reads, clock: systemClock, onError: () => undefined })
  exposeExplorerApi(server.app, { reads, clock, version: '', log })
  exposePages(server.app, { reads, networks: ['stellar:testnet'], live, version: '', clock })
  onTestFinished(async () => {
    await live[Symbol.asyncDispose]()
    await server.close()
  })
  return {
    explorer,
    counts,
    pass: (ms: number) => {
      elapsedMs += ms
    },
    get: (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers }),
  }
}

test.each(['/feed', '/ui/', '/ui/payments'])(
  'who asks for %s at the same time, or within half a second, shares one read',
  async (url) => {
    const { counts, get, pass } = await startExplorer()
    const together = await Promise.all([get(url), get(url)])
    pass(499)
    const later = await get(url)
    expect(counts.feed).toBe(1)
    expect(new Set([...together, later].map(({ payload }) => payload)).size).toBe(1)
    await get(`${url}?network=stellar:testnet`)
    expect(counts.feed).toBe(2)
    pass(1)
    await get(url)
    expect(counts.feed).toBe(3)
  },
)

test('each who shares an answer gets it only if it is news', async () => {
  const { counts, get } = await startExplorer()
  for (const url of ['/feed', '/ui/payments']) {
    const { headers } = await get(url)
    const again = await get(url, { 'if-none-match': String(headers['etag']) })
    expect([again.statusCode, again.payload]).toEqual([304, ''])
    expect((await get(url, { 'if-none-match': '"other"' })).statusCode).toBe(200)
  }
  expect(counts.feed).toBe(2)
})

test('what failed is asked for again at once', async () => {
  const { explorer, get } = await startExplorer()
  explorer.isDown = true
  for (const url of ['/feed', '/ui/payments']) expect((await get(url)).statusCode).toBe(503)
  explorer.isDown = false
  for (const url of ['/feed', '/ui/payments']) expect((await get(url)).statusCode).toBe(200)
})

test('a table is read for each who downloads it', async () => {
  const { counts, get } = await startExplorer()
  const [one, other] = await Promise.all([get('/ui/payments.csv'), get('/ui/payments.csv')])
  expect(one.payload).toContain(paymentRecord().txHash)
  expect(other.payload).toBe(one.payload)
  expect(counts.feed).toBe(2)
})
