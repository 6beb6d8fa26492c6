import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Fault } from '../../core/errors/faults.ts'
import type { RefusalFormat } from '../refusals/refusal.ts'
import type { KnownPaths } from './known-paths.ts'

const statuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/** Node's code for bytes after a request with `Connection: close`. */
const AFTER_LAST_REQUEST = 'HPE_CLOSED_CONNECTION'

/** Node's error for bytes that are no HTTP request; without `rawPacket` after a timeout. */
type BrokenBytes = Error & { readonly code?: string; readonly rawPacket?: unknown }

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Answers bytes that Node could not parse as a request; they never reach the router and its handlers. */
export class BrokenRequests {
  readonly #paths: KnownPaths
  /** The last request of each connection that could be read. */
  readonly #exchanges = new WeakMap<Duplex, Exchange>()

  constructor(paths: KnownPaths) {
    this.#paths = paths
  }

  watch(server: Server): void {
    server.prependListener('request', (request, response) => {
      this.#exchanges.set(request.socket, { request, response })
    })
    server.on('connect', (_request, socket) => refuseTunnel(socket, this.#paths.fallback))
  }

  answer(error: BrokenBytes, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const last = this.#exchanges.get(socket)
    if (last && belongsToEarlier(last, error.code)) {
      // Its answer is being sent, and the client would read a second one as a part of it.
      if (last.response.writableEnded) socket.end()
      else last.response.once('close', () => socket.end())
      return
    }
    const status = statuses[error.code ?? ''] ?? '400 Bad Request'
    const fault = new Fault('bad_request', { reason: 'the request is not well-formed HTTP' })
    socket.end(response(status, this.#refusalFor(error, last).bodyOf(fault, undefined)))
  }

  /** The format of the requested path, where the path could be read. */
  #refusalFor({ rawPacket }: BrokenBytes, last: Exchange | undefined): RefusalFormat {
    const url = last && !last.request.complete ? last.request.url : targetIn(rawPacket)
    return (url && this.#paths.find(url)?.refusal) || this.#paths.fallback
  }
}

/** The target of a request line at the beginning of these bytes. */
function targetIn(bytes: unknown): string | undefined {
  const head = Buffer.isBuffer(bytes) ? bytes.toString('latin1', 0, 200) : ''
  return /^[A-Z]+ (?<target>\S+) HTTP\//.exec(head)?.groups?.['target']
}

/** Whether the connection belongs to the answer of a request from before the broken bytes. */
function belongsToEarlier({ request, response }: Exchange, code: string | undefined): boolean {
  if (!request.complete) return response.headersSent
  return !response.writableEnded || code === AFTER_LAST_REQUEST
}

/** CONNECT requests a tunnel through a proxy. Node hands over the socket, which needs an error listener from then on. */
function refuseTunnel(socket: Duplex, refusal: RefusalFormat): void {
  socket.on('error', () => socket.destroy())
  const fault = new Fault('method_not_allowed', { reason: 'this service is no proxy' })
  socket.end(response('405 Method Not Allowed', refusal.bodyOf(fault, undefined), 'allow: '))
}

function response(status: string, answer: object, ...headers: readonly string[]): string {
  const body = JSON.stringify(answer)
  return [
    `HTTP/1.1 ${status}`,
    ...headers,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
