/** Stands between the facilitator and the RPC of a network, and does to its calls what a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { TransactionBuilder } from '@stellar/stellar-sdk'
import { passphrases } from '../../src/core/caip2.ts'

type Json = Record<string, unknown>

export type RpcFault =
  /** Passes the call on and hangs up before the answer. */
  | { readonly kind: 'lose answer' }
  /** Passes nothing on and hangs up. */
  | { readonly kind: 'hang up' }
  /** Passes nothing on and never answers. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'status'; readonly status: number }
  /** Answers this text. */
  | { readonly kind: 'garbage'; readonly text: string }
  /** Passes the call on and changes its result. */
  | { readonly kind: 'rewrite'; readonly change: (result: Json) => Json }
  /** Answers as if it had passed a transaction on. */
  | { readonly kind: 'swallow' }

interface Planned {
  readonly fault: RpcFault
  left: number
}

export interface RpcProxy extends AsyncDisposable {
  readonly url: string
  /** Names the RPC to pass calls on to; answers the proxy's own address. */
  forwardTo(rpcUrl: string): string
  /** From now on; `times` ends it by itself. The newest fault of a method counts. */
  fail(method: string, fault: RpcFault, times?: number): void
  /** Without a name, all methods. */
  heal(method?: string): void
  /** From now on no look-up finds the transaction, as on an endpoint that lags behind. */
  hide(hash: string): void
  /** How often a method was called, failed calls included. */
  count(method: string): number
}

export async function startRpcProxy(): Promise<RpcProxy> {
  const state = new ProxyState()
  const server = createServer((request, response) => {
    state.answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('listening without a port')
  const url = `http://127.0.0.1:${address.port}`
  return {
    url,
    forwardTo: (rpcUrl) => {
      state.target = rpcUrl
      return url
    },
    fail: (method, fault, times = Number.POSITIVE_INFINITY) =>
      state.faults.set(method, { fault, left: times }),
    heal: (method) => (method === undefined ? state.faults.clear() : state.faults.delete(method)),
    hide: (hash) => state.hidden.add(hash),
    count: (method) => state.counts.get(method) ?? 0,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

class ProxyState {
  target = ''
  readonly faults = new Map<string, Planned>()
  readonly hidden = new Set<string>()
  readonly counts = new Map<string, number>()

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request)
    const call: { method: string; params?: Json } = JSON.parse(text)
    this.counts.set(call.method, (this.counts.get(call.method) ?? 0) + 1)
    const fault = this.#faultFor(call.method)
    switch (fault?.kind) {
      case undefined:
        return reply(response, 200, await this.#pass(text, this.#unhide(call)))
      case 'lose answer':
        await this.#pass(text)
        return void response.destroy()
      case 'hang up':
        return void response.destroy()
      case 'hang':
        return
      case 'status':
        return reply(response, fault.status, '{}')
      case 'garbage':
        return reply(response, 200, fault.text)
      case 'rewrite':
        return reply(response, 200, await this.#pass(text, fault.change))
      case 'swallow':
        return reply(response, 200, await this.#pretend(call.params ?? {}))
    }
  }

  #faultFor(method: string): RpcFault | undefined {
    const planned = this.faults.get(method)
    if (!planned || planned.left <= 0) return undefined
    planned.left -= 1
    return planned.fault
  }

  /** The change that makes a hidden transaction one that nobody has seen. */
  #unhide({ params }: { params?: Json }): ((result: Json) => Json) | undefined {
    if (!this.hidden.has(String(params?.['hash']))) return undefined
    const told = ['latestLedger', 'latestLedgerCloseTime', 'oldestLedger', 'oldestLedgerCloseTime']
    return (result) => ({
      status: 'NOT_FOUND',
      ...Object.fromEntries(told.map((name) => [name, result[name]])),
    })
  }

  async #pass(text: string, change?: (result: Json) => Json): Promise<string> {
    const answer = await fetch(this.target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    const body = await answer.text()
    if (!change) return body
    const parsed: Json & { result?: Json } = JSON.parse(body)
    return JSON.stringify({ ...parsed, ...(parsed.result && { result: change(parsed.result) }) })
  }

  async #pretend({ transaction }: Json): Promise<string> {
    const sent = TransactionBuilder.fromXdr(String(transaction), passphrases['stellar:testnet'])
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getLatestLedger' })
    return this.#pass(request, ({ sequence, closeTime }) => ({
      status: 'PENDING',
      hash: Buffer.from(sent.hash()).toString('hex'),
      latestLedger: sequence,
      latestLedgerCloseTime: closeTime,
    }))
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

function reply(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body)
}
