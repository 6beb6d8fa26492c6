import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Answer } from '../answer.ts'
import type { HttpDeliveries } from '../http-deliveries.ts'
import { holdAnswer } from './held-answer.ts'
import { peekBody } from './request-body.ts'

/**
 * Answers a request that was answered before or may not be served. Otherwise resolves with the function in which the server has to go
 * on: its answer is kept before it is sent.
 */
export async function serveOnce(
  deliveries: HttpDeliveries,
  request: IncomingMessage & { readonly originalUrl?: string },
  response: ServerResponse,
): Promise<((goOn: () => void) => void) | undefined> {
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
    if (begun.kind === 'unpaid') return (goOn) => goOn()
    if (begun.kind === 'serve') {
      const { delivery } = begun
      holdAnswer(response, delivery)
      return (goOn) => delivery.run(goOn)
    }
    send(response, begun.answer)
    return undefined
  } catch (error) {
    // Nobody waits for an answer any more.
    if (response.closed) return undefined
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
