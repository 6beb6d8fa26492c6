/** A proxy in front of a facilitator that passes a request on and hangs up in place of the answer. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AnswerDroppingProxy extends AsyncDisposable {
  readonly url: string
  /** Resolves when it has hung up. */
  dropNextAnswerOf(path: string): Promise<void>
}

export async function answerDroppingProxy(target: string): Promise<AnswerDroppingProxy> {
  let drop: { readonly path: string; readonly done: () => void } | undefined
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming
    const onward = request(target + url, { method, headers }, (answer) => {
      if (drop?.path === url) {
        outgoing.destroy()
        drop.done()
        drop = undefined
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropNextAnswerOf: (path) =>
      new Promise((done) => {
        drop = { path, done }
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
