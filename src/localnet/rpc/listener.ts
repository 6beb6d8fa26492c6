import { Buffer } from 'node:buffer'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { messageOf } from '../../platform/core/text/error-message.ts'
import type { RpcMethods } from './json-rpc.ts'
import { answerJsonRpc } from './json-rpc.ts'

/** Twice Stellar RPC's default; a transaction has at most 132 KB. */
const MAX_BODY_BYTES = 1_048_576

/** A path beside the RPC; parameters of the query and of a posted form. */
export type Route = (parameters: URLSearchParams, method: string) => Promise<HttpAnswer>

export interface HttpAnswer {
  readonly status: number
  readonly body: unknown
}

export interface ListenerOptions {
  readonly methods: RpcMethods
  /** By path. */
  readonly routes: ReadonlyMap<string, Route>
  /** The answer of `GET /`, as JSON. */
  readonly about: unknown
  /** Called once the RPC has the answer to a request; the answer is sent when it has resolved. */
  readonly beforeAnswer?: (() => Promise<void>) | undefined
}

/** JSON-RPC at `/` and `/rpc`, the other routes by path; CORS allows every origin. */
export function createListener({
  methods,
  routes,
  about,
  beforeAnswer,
}: ListenerOptions): RequestListener {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localnet')
    const method = request.method ?? 'GET'
    if (method === 'OPTIONS') return send(response, 204)
    const body = method === 'POST' ? await readBody(request) : ''
    if (body === undefined) return send(response, 413, json({ detail: 'the body exceeds 1 MiB' }))
    const route = routes.get(pathname)
    if (route) {
      for (const [name, value] of new URLSearchParams(body)) searchParams.append(name, value)
      const { status, body: content } = await route(searchParams, method)
      return send(response, status, json(content))
    }
    if (pathname !== '/' && pathname !== '/rpc') return send(response, 404, json(notFound))
    if (method === 'GET') return send(response, 200, json(about))
    if (method !== 'POST') return send(response, 405, json({ detail: 'POST JSON-RPC 2.0 here' }))
    const reply = answerJsonRpc(body, methods)
    await beforeAnswer?.()
    return reply === undefined ? send(response, 204) : send(response, 200, reply)
  }
  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      const detail = messageOf(error)
      send(response, 500, json({ status: 500, title: 'Internal Server Error', detail }))
    })
  }
}

const notFound = { status: 404, title: 'Resource Missing', detail: 'unknown path' }

const json = (value: unknown): string => JSON.stringify(value)

/** Undefined when the body is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    const bytes = Buffer.from(part)
    size += bytes.length
    if (size <= MAX_BODY_BYTES) parts.push(bytes)
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(parts).toString('utf8')
}

function send(response: ServerResponse, status: number, body?: string): void {
  response.writeHead(status, {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST, OPTIONS',
    'access-control-allow-headers': '*',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  })
  response.end(body)
}
