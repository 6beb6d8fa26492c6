/** An address in front of a Postgres that a test closes, or lets reset every connection. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Door extends AsyncDisposable {
  /** Of the same database. */
  readonly url: string
  /** Nothing listens any more, and every connection is cut. */
  close(): Promise<void>
  /** Resets every connection, and each new one. */
  reset(): void
  /** After `close` or `reset`. */
  open(): Promise<void>
}

export async function startDoor(target: string): Promise<Door> {
  const { hostname, port: upstreamPort } = new URL(target)
  const sockets = new Set<Socket>()
  let isResetting = false
  const server = createServer((client) => {
    if (isResetting) {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(upstreamPort), hostname)
    const pair = [client, upstream] as const
    for (const socket of pair) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        for (const each of pair) each.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  const listen = async (port: number) => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  const close = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const port = await listen(0)
  return {
    url: Object.assign(new URL(target), { host: `127.0.0.1:${port}` }).href,
    close,
    reset: () => {
      isResetting = true
      for (const socket of sockets) socket.resetAndDestroy()
    },
    open: async () => {
      isResetting = false
      if (!server.listening) await listen(port)
    },
    [Symbol.asyncDispose]: close,
  }
}
