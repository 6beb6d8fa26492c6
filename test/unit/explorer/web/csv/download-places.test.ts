import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LiveUpdates } from '../../../../../src/explorer/web/live/live-updates.ts'
import { exposePages } from '../../../../../src/explorer/web/pages.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { createHttpServer } from '../../../../../src/platform/http/server/server.ts'
import { memoryReads } from '../../../../support/explorer/memory-reads.ts'

/** Pages whose tables are read only once `release` was called. */
async function startHeldPages() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const memory = memoryReads({ payments: [], now: 0 })
  const reads = {
    ...memory,
    feed: (...asked: Parameters<typeof memory.feed>) => released.then(() => memory.feed(...asked)),
  }
  const live = new LiveUpdates({ reads, clock: systemClock, onError: () => undefined })
  const server = createHttpServer({ logger: pino({ level: 'silent' }) })
  const networks = ['stellar:testnet'] as const
  const rest = { version: '', clock: systemClock, trustedProxyHops: 1 }
  const begun = { requests: 0 }
  server.app.addHook('preHandler', async () => {
    begun.requests += 1
  })
  exposePages(server.app, { reads, networks, live, ...rest })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    release()
    await live[Symbol.asyncDispose]()
    await server.close()
  })
  const download = async (address: string, signal?: AbortSignal) => {
    const headers = { 'x-forwarded-for': address }
    const request = { headers, ...(signal && { signal }) }
    const answer = await fetch(`${url}/ui/payments.csv`, request)
    await answer.arrayBuffer()
    return answer.status
  }
  return { download, release, begun }
}

test('few tables are sent at the same time, fewer to one address, and an end frees the place', async () => {
  const { download, release, begun } = await startHeldPages()
  const leaving = new AbortController()
  const left = download('192.0.2.1', leaving.signal).catch(() => 'left')
  const held = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => download(address))
  await vi.waitFor(() => expect(begun.requests).toBe(4), { timeout: 120_000 })
  expect(await download('192.0.2.1')).toBe(503)
  expect(await download('192.0.2.4')).toBe(503)
  leaving.abort()
  expect(await left).toBe('left')
  release()
  expect(await Promise.all(held)).toEqual([200, 200, 200])
  expect(await Promise.all([download('192.0.2.4'), download('192.0.2.4')])).toEqual([200, 200])
})
