import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What the servers of the official SDKs have: a request as `fetch` knows it, and its answer. */
export type FetchHandler = (request: Request) => Promise<Response>

/** Serves it on a free port of this machine, until it is disposed of. */
export async function serveFetch(
  handle: FetchHandler,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path, headers } = request
    const answered = await handle(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: headers as Record<string, string>,
        ...(method === 'POST' && { body: await text(request) }),
      }),
    )
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    for await (const chunk of answered.body ?? []) response.write(chunk)
    response.end()
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  }
}
