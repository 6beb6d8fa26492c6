import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Fault } from '../core/faults.ts'
import { errorBody } from './refusal.ts'

const statuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/** Bytes after a request that said it was the last one. */
const AFTER_THE_LAST = 'HPE_CLOSED_CONNECTION'

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Answers bytes that never became a request; the router and its handlers do not see those. */
export class BrokenRequests {
  /** The last request of each connection that could be read. */
  readonly #exchanges = new WeakMap<Duplex, Exchange>()

  watch(server: Server): void {
    server.prependListener('request', (request, response) => {
      this.#exchanges.set(request.socket, { request, response })
    })
  }

  answer(error: Error & { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const last = this.#exchanges.get(socket)
    if (last && isAnotherOnes(last, error.code)) {
      // Its answer is on its way or out, and a second one would be taken for a part of it.
      if (last.response.writableEnded) socket.end()
      else last.response.once('close', () => socket.end())
      return
    }
    socket.end(refusal(statuses[error.code ?? ''] ?? '400 Bad Request'))
  }
}

/** Whether the connection belongs to the answer of a request from before the broken bytes. */
function isAnotherOnes({ request, response }: Exchange, code: string | undefined): boolean {
  if (!request.complete) return response.headersSent
  return !response.writableEnded || code === AFTER_THE_LAST
}

function refusal(status: string): string {
  const reason = 'the request is not well-formed HTTP'
  const body = JSON.stringify(errorBody(new Fault('bad_request', { reason }), undefined))
  return [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
