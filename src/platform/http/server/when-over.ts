import type { IncomingMessage, ServerResponse } from 'node:http'

/** Callbacks for the end of each connection, called by one listener: a client may pipeline many requests. */
const waiting = new WeakMap<IncomingMessage['socket'], Set<() => void>>()

/**
 * Calls `end` once, when the answer was sent or cannot be sent any more; at once if that is so already. The response alone
 * does not tell: it emits no second `close` to a listener that comes late, and in Node 22 none at all when its connection
 * ends while it waits behind another answer of the same connection.
 */
export function whenOver(
  { socket }: Pick<IncomingMessage, 'socket'>,
  response: Pick<ServerResponse, 'closed' | 'once'>,
  end: () => void,
): void {
  if (response.closed || socket.destroyed) {
    end()
    return
  }
  const open = waiting.get(socket) ?? watch(socket)
  const over = () => {
    if (open.delete(over)) end()
  }
  open.add(over)
  response.once('close', over)
}

function watch(socket: IncomingMessage['socket']): Set<() => void> {
  const open = new Set<() => void>()
  waiting.set(socket, open)
  socket.once('close', () => {
    for (const over of open) over()
  })
  return open
}
