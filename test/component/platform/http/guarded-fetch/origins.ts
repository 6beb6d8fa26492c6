/** Servers of strangers, on this machine, and fetchers for them. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { afterEach } from 'vitest'
import {
  type GuardedFetcher,
  guardedFetcher,
} from '../../../../../src/platform/http/guarded-fetch/guarded-fetch.ts'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
})

export function fetcher(options: Parameters<typeof guardedFetcher>[0] = {}): GuardedFetcher {
  const guarded = guardedFetcher(options)
  ends.push(guarded.close)
  return guarded
}

export const local = (): GuardedFetcher => fetcher({ allowLoopback: true })

export const names =
  (table: Readonly<Record<string, readonly string[]>>) => async (hostname: string) =>
    (table[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

export async function origin(
  answer: RequestListener,
): Promise<{ url: URL; seen: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] }> {
  const seen: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = []
  const server = createServer((request, response) => {
    seen.push({ method: request.method, url: request.url, headers: request.headers })
    answer(request, response)
  })
  const url = await listen(server)
  ends.unshift(async () => server.closeAllConnections())
  return { url, seen }
}

export async function listen(server: Server): Promise<URL> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new Set<{ destroy: () => void }>()
  server.on('connection', (socket) => sockets.add(socket))
  ends.push(async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

/** A server that writes what it likes, once a request's head has arrived. */
export const rawOrigin = (answer: (socket: Socket) => void): Promise<URL> =>
  listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => answer(socket))
    }),
  )
