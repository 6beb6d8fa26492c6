import type { Server } from 'node:http'

/** A client on the slowest line takes some bytes of its answer in this time. */
export const SEND_TIMEOUT_MS = 30_000

/**
 * Cuts a connection whose client takes nothing of its answer for this long; each part that it takes begins the time anew. While
 * nothing waits to be sent, the answer may take any time, as those to long polls do.
 */
export function cutUnread(server: Server, timeoutMs: number): void {
  server.timeout = timeoutMs
  server.prependListener('request', (_request, response) => {
    // With a listener Node leaves the connection alone.
    response.on('timeout', (socket) => {
      if (socket.writableLength > 0) socket.destroy()
    })
  })
}
