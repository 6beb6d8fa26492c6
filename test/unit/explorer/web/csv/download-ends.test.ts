/** However a download ends, it gives its place back once: real connections of clients that leave at every moment. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LiveUpdates } from '../../../../../src/explorer/web/live/live-updates.ts'
import { exposePages } from '../../../../../src/explorer/web/pages.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { createHttpServer } from '../../../../../src/platform/http/server/server.ts'
import { memoryReads } from '../../../../support/explorer/memory-reads.ts'
import { paymentRecord } from '../../../../support/explorer/payment-records.ts'

type Feed = ReturnType<typeof memoryReads>['feed']

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 120_000, interval: 10 })

/** Rows without end; all rows of one file are more than the system keeps of a connection that nobody reads. */
const endless: Feed = async () => ({
  items: Array.from({ length: 500 }, () => paymentRecord({ memo: 'x'.repeat(5_000) })),
  nextCursor: 'next',
})

async function startPages() {
  const memory = memoryReads({ payments: [], now: 0 })
  const limits: (() => void)[] = []
  /** What requests meet, which tests change, and what they did. */
  const world = {
    feed: memory.feed as Feed,
    /** Requests wait for it before their handler, as they do for a rate limit in the database. */
    admitted: Promise.resolve(),
    requests: 0,
    reads: 0,
    closed: 0,
  }
  const reads = {
    ...memory,
    feed: (...asked: Parameters<Feed>) => {
      world.reads += 1
      return world.feed(...asked)
    },
  }
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) =>
      ms < 60_000
        ? systemClock.sleep(ms, signal)
        : new Promise<void>((resolve) => limits.push(resolve)),
  }
  const live = new LiveUpdates({ reads, clock: systemClock, onError: () => undefined })
  const server = createHttpServer({ logger: pino({ level: 'silent' }) })
  server.app.addHook('preHandler', () => {
    world.requests += 1
    return world.admitted
  })
  server.app.server.on('connection', (socket) => socket.once('close', () => (world.closed += 1)))
  const rest = { version: '', clock, trustedProxyHops: 0 }
  exposePages(server.app, { reads, networks: ['stellar:testnet'], live, ...rest })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await live[Symbol.asyncDispose]()
    await server.close()
  })
  return {
    world,
    url,
    noRows: memory.feed as Feed,
    endTime: () => limits.splice(0).map((end) => end()),
  }
}
type Pages = Awaited<ReturnType<typeof startPages>>

async function dial({ url }: Pages): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

const requestOf = (method: string) =>
  `${method} /ui/payments.csv HTTP/1.1\r\nHost: explorer\r\n\r\n`

/** Connections that have sent so many requests, each the same, which the server has got. */
async function asking(pages: Pages, connections: number, requests = 1): Promise<Socket[]> {
  const before = pages.world.requests
  const sockets = await Promise.all(Array.from({ length: connections }, () => dial(pages)))
  for (const socket of sockets) socket.write(requestOf('GET').repeat(requests))
  await until(() => expect(pages.world.requests).toBe(before + connections * requests))
  return sockets
}

async function leave({ world }: Pages, sockets: readonly Socket[]): Promise<void> {
  const before = world.closed
  for (const socket of sockets) socket.resetAndDestroy()
  await until(() => expect(world.closed).toBe(before + sockets.length))
}

/** How many downloads of one address are served at the same time. */
async function servedAtOnce(pages: Pages): Promise<number> {
  const { world, url, noRows } = pages
  const { promise: release, resolve } = Promise.withResolvers<void>()
  world.feed = (...asked) => release.then(() => noRows(...asked))
  const before = world.requests
  const answers = Promise.all(Array.from({ length: 4 }, () => fetch(`${url}/ui/payments.csv`)))
  await until(() => expect(world.requests).toBe(before + 4))
  resolve()
  const statuses = await Promise.all(
    (await answers).map(async (answer) => [answer.status, (await answer.arrayBuffer()).byteLength]),
  )
  return statuses.filter(([status]) => status === 200).length
}

const untilBothAreFree = (pages: Pages) =>
  until(async () => expect(await servedAtOnce(pages)).toBe(2))

test('before its request was admitted', async () => {
  const pages = await startPages()
  const { promise, resolve } = Promise.withResolvers<void>()
  pages.world.admitted = promise
  await leave(pages, await asking(pages, 4))
  resolve()
  await untilBothAreFree(pages)
  expect(pages.world.reads).toBe(2)
})

test('while its table is read, and while it waits for its turn: then nothing is read for it', async () => {
  const pages = await startPages()
  const { promise: release, resolve } = Promise.withResolvers<void>()
  pages.world.feed = (...asked) => release.then(() => pages.noRows(...asked))
  await leave(pages, await asking(pages, 2))
  await leave(pages, await asking(pages, 2))
  expect(pages.world.reads).toBe(1)
  resolve()
  await untilBothAreFree(pages)
  expect(pages.world.reads).toBe(1 + 2)
})

test('while it waits behind another one of the same connection', async () => {
  const pages = await startPages()
  const { promise: release, resolve } = Promise.withResolvers<void>()
  pages.world.feed = (...asked) => release.then(() => pages.noRows(...asked))
  await leave(pages, await asking(pages, 1, 2))
  resolve()
  await untilBothAreFree(pages)
})

test('in the middle, and no part is read after that', async () => {
  const pages = await startPages()
  pages.world.feed = endless
  const sockets = await asking(pages, 2)
  await Promise.all(sockets.map((socket) => once(socket, 'data')))
  await leave(pages, sockets)
  await untilBothAreFree(pages)
})

test('by the limit of time, when its client does not read', async () => {
  const pages = await startPages()
  pages.world.feed = endless
  const sockets = await asking(pages, 2)
  for (const socket of sockets) socket.pause()
  expect(await servedAtOnce(pages)).toBe(0)
  pages.endTime()
  await until(() => expect(pages.world.closed).toBeGreaterThanOrEqual(2))
  await untilBothAreFree(pages)
})

test.each([
  { when: 'at its begin', good: 0 },
  { when: 'in the middle', good: 1 },
])('by a read that fails $when', async ({ good }) => {
  const pages = await startPages()
  for (let downloads = 0; downloads < 3; downloads++) {
    const last = pages.world.reads + good
    pages.world.feed = (...asked) =>
      pages.world.reads > last ? Promise.reject(new Error('no database')) : endless(...asked)
    const answer = await fetch(`${pages.url}/ui/payments.csv`)
    expect(answer.status).toBe(good === 0 ? 500 : 200)
    await answer.arrayBuffer().catch(() => undefined)
  }
  await untilBothAreFree(pages)
})

test('and one whose head alone is asked for takes none', async () => {
  const pages = await startPages()
  const socket = await dial(pages)
  for (let requests = 0; requests < 3; requests++) {
    socket.write(requestOf('HEAD'))
    expect(String(await once(socket, 'data'))).toContain('HTTP/1.1 404')
  }
  expect(pages.world.reads).toBe(0)
  expect(await servedAtOnce(pages)).toBe(2)
})
