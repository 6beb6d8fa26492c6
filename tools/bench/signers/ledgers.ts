import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

/** Closes the ledgers of a network in manual mode. */
export interface Ledgers extends AsyncDisposable {
  /** The network's RPC, by way of this process, which counts what is sent. */
  readonly rpcUrl: string
  /** Closes one each second until the work ends. */
  during<T>(work: Promise<T>): Promise<T>
  /** Closes one as soon as so many transactions are sent, then goes on as `during`. */
  onceSent<T>(count: number, work: Promise<T>): Promise<T>
}

/** Close times are whole seconds and differ: ledgers that close faster would be ahead of the clock. */
const EVERY_MS = 1_000
const LOOK_EVERY_MS = 5
/** Settlements that failed are never sent. */
const SENT_WITHIN_MS = 10_000

export async function openLedgers(networkUrl: string): Promise<Ledgers> {
  let sent = 0
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const answer = await fetch(networkUrl, {
      method: request.method ?? 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await answer.text()
    sent += body.toString().split('"method":"sendTransaction"').length - 1
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo

  const close = async () => {
    const response = await fetch(`${networkUrl}/close`, { method: 'POST' })
    await response.body?.cancel()
  }
  const during = async <T>(work: Promise<T>): Promise<T> => {
    const ended = new AbortController()
    const over = work.finally(() => ended.abort())
    over.catch(() => undefined)
    while (!ended.signal.aborted) {
      await pause(EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined)
      if (!ended.signal.aborted) await close()
    }
    return over
  }
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    during,
    async onceSent(count, work) {
      const [all, deadline] = [sent + count, Date.now() + SENT_WITHIN_MS]
      while (sent < all && Date.now() < deadline) await pause(LOOK_EVERY_MS)
      await close()
      return during(work)
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
