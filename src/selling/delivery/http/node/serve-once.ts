import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from '../answer.ts'
import type { HttpDeliveries } from '../http-deliveries.ts'
import { holdAnswer } from './held-answer.ts'
import { peekBody } from './request-body.ts'

/**
 * Answers a request that was answered before or may not be served, and returns false. Otherwise returns true: the server
 * goes on, and its answer is kept before it is sent.
 */
export async function serveOnce(
  deliveries: HttpDeliveries,
  request: IncomingMessage & { readonly originalUrl?: string },
  response: ServerResponse,
): Promise<boolean> {
  const { headers } = request
  const left = new AbortController()
  const leave = () => left.abort()
  response.once('close', leave)
  try {
    const begun = await deliveries.begin({
      method: request.method ?? 'GET',
      // Routers of Express shorten the other one.
      url: request.originalUrl ?? request.url ?? '/',
      header: (name) => headers[name]?.toString(),
      body: (maxBytes) => peekBody(request, maxBytes),
      signal: left.signal,
    })
    if (begun.kind === 'answer') send(response, begun.answer)
    if (begun.kind === 'serve') holdAnswer(response, begun.delivery)
    return begun.kind !== 'answer'
  } catch (error) {
    // Nobody waits for an answer any more.
    if (response.closed) return false
    throw error
  } finally {
    response.off('close', leave)
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.statusCode = status
  const names = new Set(headers.map(([name]) => name))
  for (const name of names) {
    const values = headers.flatMap(([each, value]) => (each === name ? [value] : []))
    response.setHeader(name, values.length > 1 ? values : (values[0] ?? ''))
  }
  // A body that is not read is still on the connection.
  if (!response.req.complete) response.setHeader('connection', 'close')
  response.end(body)
}
