import { createServer } from 'node:http'

interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly { key: string; value: { stringValue?: string } }[]
}

export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** All that was sent, as text. */
  readonly text: string
}

interface Export {
  resourceSpans: { scopeSpans: { spans: CollectedSpan[] }[] }[]
}

/** An OTLP collector over HTTP and JSON that keeps what it gets. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  let text = ''
  const server = createServer(async (request, response) => {
    const parts: Uint8Array[] = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString('utf8')
    text += body
    const { resourceSpans }: Export = JSON.parse(body)
    spans.push(...resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('listening without a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    get text() {
      return text
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
