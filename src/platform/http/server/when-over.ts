import type { IncomingMessage, ServerResponse } from 'node:http'

type Request = Pick<IncomingMessage, 'socket' | 'complete'>

interface OpenRequest {
  readonly request: Request
  readonly end: () => void
}

/** The requests of each connection that are not over, whose end one listener calls: a client may pipeline many. */
const open = new WeakMap<Request['socket'], Set<OpenRequest>>()

/**
 * Calls `end` once, when the answer was sent or cannot be sent any more; at once if that is so already. The response alone
 * does not tell: it emits no second `close` to a listener that comes late, and in Node 22 none at all when its connection
 * ends while it waits behind another answer of the same connection.
 */
export function whenOver(
  request: Request,
  response: Pick<ServerResponse, 'closed' | 'once'>,
  end: () => void,
): void {
  const { socket } = request
  if (response.closed || socket.destroyed) {
    end()
    return
  }
  const requests = open.get(socket) ?? watch(socket)
  const own = { request, end }
  requests.add(own)
  response.once('close', () => {
    if (requests.delete(own)) end()
  })
}

/** Whether a request of the connection has arrived whole and is not over. */
export function hasWholeRequest(socket: Request['socket']): boolean {
  for (const { request } of open.get(socket) ?? []) if (request.complete) return true
  return false
}

function watch(socket: Request['socket']): Set<OpenRequest> {
  const requests = new Set<OpenRequest>()
  open.set(socket, requests)
  socket.once('close', () => {
    for (const own of requests) if (requests.delete(own)) own.end()
  })
  return requests
}
