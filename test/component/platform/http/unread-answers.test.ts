import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  createHttpServer,
  type HttpServerOptions,
} from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'

const MIB = 1024 * 1024
/** More than the operating system keeps for a connection that is not read. */
const LONG = 'x'.repeat(16 * MIB)
const GET = 'GET /long HTTP/1.1\r\nhost: svc\r\n\r\n'
const patience = { timeout: 120_000, interval: 10 }

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

async function open(options: Partial<HttpServerOptions>) {
  const server = createHttpServer({ logger: createLogger({ level: 'silent' }), ...options })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const started: string[] = []
  server.app.get('/long', async () => LONG)
  server.app.get('/short', async () => 'short')
  const release = Promise.withResolvers<string>()
  server.app.get('/waiting', async () => {
    started.push('waiting')
    return release.promise
  })
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  const client = async () => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    const ends = { closed: false, bytes: 0 }
    socket
      .on('error', () => undefined)
      .on('close', () => {
        ends.closed = true
      })
    await once(socket, 'connect')
    socket.pause()
    return { socket, ends }
  }
  /** Answers to a request on a connection of its own; its status, or what ended it. */
  const ask = (path = '/short') =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } }).then(
      ({ status }) => status,
      () => 'cut',
    )
  return { server, client, ask, started, release }
}

/** Reads the end of a connection that was destroyed while its client read nothing. */
const isCut = async ({ socket, ends }: { socket: Socket; ends: { closed: boolean } }) => {
  socket.resume()
  await vi.waitFor(() => expect(ends.closed).toBe(true), patience)
}

test('a client that takes nothing of its answer is cut', async () => {
  const { server, client } = await open({ sendTimeoutMs: 100 })
  const { socket } = await client()
  const gone = new Promise((resolve) => {
    server.app.server.prependOnceListener('request', (request) =>
      request.socket.once('close', resolve),
    )
  })
  socket.write(GET)
  await gone
})

test('a client that takes a part of its answer now and then gets all of it', async () => {
  const { client } = await open({ sendTimeoutMs: 3_000 })
  const { socket, ends } = await client()
  socket.write(GET)
  let bytes = 0
  while (bytes < LONG.length) {
    if (ends.closed) throw new Error(`cut after ${bytes} bytes`)
    const part: Buffer | null = socket.read()
    bytes += part?.length ?? 0
    await new Promise((resolve) => setTimeout(resolve, part ? 20 : 1))
  }
  expect(bytes).toBeGreaterThan(LONG.length)
})

test('a request that takes longer is answered', async () => {
  const { ask, started, release, server } = await open({ sendTimeoutMs: 50 })
  const timedOut = new Promise((resolve) => {
    server.app.server.on('request', (_request, response) => response.once('timeout', resolve))
  })
  const answer = ask('/waiting')
  await vi.waitFor(() => expect(started).toHaveLength(1), patience)
  await timedOut
  release.resolve('late')
  expect(await answer).toBe(200)
})

test('beyond the bytes that may wait, the oldest of the largest network are cut, also those behind others', async () => {
  const { server, client, ask } = await open({ unreadBytes: 40 * MIB, sendTimeoutMs: 60_000 })
  const [first, second] = [await client(), await client()]
  first.socket.write(GET)
  second.socket.write(GET)
  const connections = () =>
    new Promise((resolve) => server.app.server.getConnections((_, count) => resolve(count)))
  await vi.waitFor(async () => expect(await connections()).toBe(2), { timeout: 120_000 })
  const third = await client()
  third.socket.write(GET + GET)
  await vi.waitFor(async () => expect(await connections()).toBe(1), patience)
  expect(await ask()).toBe(200)
  await isCut(first)
  await isCut(second)
  expect(third.ends.closed).toBe(false)
})
