/** The two routes of the signing protocol. There are no others. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Key } from '../key.ts'
import { LogFailure } from '../log/signing-log.ts'
import { MAX_BODY_BYTES, signBody } from '../protocol.ts'
import { Busy, type SignBatch } from '../sign-batch.ts'

export interface RouteDeps {
  readonly key: Key
  readonly signBatch: SignBatch
  /** Whether the client on this connection may ask. */
  readonly isAllowed: (request: IncomingMessage) => boolean
  /** Told of each batch that failed. */
  readonly failed: (error: unknown) => void
}

/** An answer other than 200. The text goes to the client. */
class HttpProblem extends Error {
  override readonly name = 'HttpProblem'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

const retryAfter = { 'retry-after': '1' }

export const answerWith =
  (deps: RouteDeps) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      send(response, 200, await route(deps, request))
    } catch (error) {
      const { status, message, headers } = problemOf(deps, error)
      send(response, status, { error: message }, headers)
    }
  }

async function route(
  { key, signBatch, isAllowed }: RouteDeps,
  request: IncomingMessage,
): Promise<object> {
  if (!isAllowed(request)) throw new HttpProblem(403, 'this certificate is not in listen.clients')
  switch (`${request.method} ${request.url}`) {
    case 'GET /v1/key':
      return { publicKey: key.address }
    case 'POST /v1/sign': {
      const body = signBody.safeParse(parse(await bodyOf(request)))
      if (!body.success) throw new HttpProblem(400, 'the body is not as the protocol says')
      return { results: await signBatch(body.data.requests) }
    }
    default:
      throw new HttpProblem(404, 'no such route')
  }
}

function problemOf({ failed }: RouteDeps, error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error
  failed(error)
  if (error instanceof Busy) return new HttpProblem(429, error.message, retryAfter)
  const message = error instanceof LogFailure ? error.message : 'the key gave no signature'
  return new HttpProblem(503, message, retryAfter)
}

/** Stops reading at the limit, and with the connection: what a client sends after it is not waited for. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  const tooLarge = new HttpProblem(413, `a body has at most ${MAX_BODY_BYTES} bytes`, {
    connection: 'close',
  })
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw tooLarge
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) throw tooLarge
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new HttpProblem(400, 'the body is not JSON')
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}
