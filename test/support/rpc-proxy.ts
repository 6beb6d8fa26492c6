/** A proxy between the facilitator and the RPC of a network, with faults that a test sets. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { TransactionBuilder } from '@stellar/stellar-sdk'
import { passphrases } from '../../src/platform/core/caip2.ts'
import { asOf, type Json, notFound, type Tip } from './stale-answers.ts'

export type RpcFault =
  /** Passes the call on and hangs up before the answer, once `after` is done: a ledger, say. */
  | { readonly kind: 'lose answer'; readonly after?: () => Promise<unknown> }
  /** Passes nothing on and hangs up. */
  | { readonly kind: 'hang up' }
  /** Passes nothing on and never answers. */
  | { readonly kind: 'hang' }
  /** Passes nothing on; 429 has a `Retry-After`, by default of one second. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterSeconds?: number }
  /** Answers this text. */
  | { readonly kind: 'garbage'; readonly text: string }
  /** Passes the call on and hangs up in the middle of the answer. */
  | { readonly kind: 'truncate' }
  /** Passes the call on and changes its result. */
  | { readonly kind: 'rewrite'; readonly change: (result: Json) => Json }
  /** Answers as if it had passed a transaction on. */
  | { readonly kind: 'swallow' }
  /** Leaves to the test when the call is passed on, and when its answer is; hangs up where that rejects. */
  | {
      readonly kind: 'gate'
      readonly pass: (params: Json, forward: () => Promise<string>) => Promise<string>
    }

interface Call {
  readonly method: string
  readonly params?: Json
}

const isBatch = (parsed: Call | readonly Call[]): parsed is readonly Call[] => Array.isArray(parsed)

interface Planned {
  readonly fault: RpcFault
  left: number
}

export interface RpcProxy extends AsyncDisposable {
  readonly url: string
  /** Names the RPC to pass calls on to, of another network too; answers the proxy's own address. */
  forwardTo(rpcUrl: string): string
  /**
   * From now on; `times` ends it by itself. The newest fault of a method counts, before that of `*`,
   * which is for all methods.
   */
  fail(method: string, fault: RpcFault, times?: number): void
  /** Without a name, all methods. */
  heal(method?: string): void
  /** No look-up finds the transaction until this many ledgers have closed after its own; by default never. */
  hide(hash: string, ledgers?: number): void
  /** From now on answers are this many ledgers old; entries and simulations stay current. */
  lag(ledgers: number): void
  /** How often a method was called, failed calls included. */
  count(method: string): number
  /** Envelopes that were to be sent, as base64, faults or not. */
  readonly envelopes: readonly string[]
  /** Number of calls in batches, and number of batches. */
  readonly batches: { readonly requests: number; readonly calls: number }
}

export async function startRpcProxy(): Promise<RpcProxy> {
  const state = new ProxyState()
  const server = createServer((request, response) => {
    state.answer(request, response).catch(() => response.destroy())
  })
  // A request into a connection that is just being closed would fail without a fault of a test.
  server.keepAliveTimeout = 120_000
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
    hide: (hash, ledgers = Number.POSITIVE_INFINITY) => state.hidden.set(hash, ledgers),
    lag: (ledgers) => {
      state.lag = ledgers
    },
    count: (method) => state.counts.get(method) ?? 0,
    envelopes: state.envelopes,
    get batches() {
      return { requests: state.batches, calls: state.batched }
    },
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
  /** By hash, the number of ledgers for which the transaction stays hidden. */
  readonly hidden = new Map<string, number>()
  lag = 0
  readonly counts = new Map<string, number>()
  readonly envelopes: string[] = []
  batches = 0
  batched = 0

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request)
    const parsed: Call | readonly Call[] = JSON.parse(text)
    if (isBatch(parsed)) return this.#answerBatch(text, parsed, response)
    const call = parsed
    this.#note(call)
    const fault = this.#faultFor(call.method)
    switch (fault?.kind) {
      case undefined:
        return reply(response, 200, await this.#pass(text, await this.#stale(call)))
      case 'lose answer':
        await this.#pass(text)
        await fault.after?.()
        return void response.destroy()
      case 'hang up':
        return void response.destroy()
      case 'hang':
        return
      case 'status':
        return reply(response, fault.status, '{}', fault.retryAfterSeconds)
      case 'truncate':
        return cutShort(response, await this.#pass(text))
      case 'garbage':
        return reply(response, 200, fault.text)
      case 'rewrite':
        return reply(response, 200, await this.#pass(text, fault.change))
      case 'swallow':
        return reply(response, 200, await this.#pretend(call.params ?? {}))
      case 'gate':
        return reply(response, 200, await fault.pass(call.params ?? {}, () => this.#pass(text)))
    }
  }

  /** Passes batches on as a whole, and refuses them while faults for single calls are set. */
  async #answerBatch(text: string, calls: readonly Call[], response: ServerResponse) {
    if (this.faults.size > 0 || this.hidden.size > 0 || this.lag > 0) {
      return reply(response, 400, 'no batches')
    }
    for (const call of calls) this.#note(call)
    this.batches += 1
    this.batched += calls.length
    return reply(response, 200, await this.#pass(text))
  }

  #note({ method, params }: Call): void {
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1)
    if (method === 'sendTransaction') this.envelopes.push(String(params?.['transaction']))
  }

  #faultFor(method: string): RpcFault | undefined {
    const planned = this.faults.get(method) ?? this.faults.get('*')
    if (!planned || planned.left <= 0) return undefined
    planned.left -= 1
    return planned.fault
  }

  /** The change that makes an answer older; undefined when answers are current. */
  async #stale({ params }: { params?: Json }): Promise<((result: Json) => Json) | undefined> {
    const tip = this.lag > 0 ? await this.#tip(this.lag) : undefined
    const hiddenFor = this.hidden.get(String(params?.['hash']))
    if (!tip && hiddenFor === undefined) return undefined
    return (result) => {
      const answer = tip ? asOf(tip, result) : result
      if (hiddenFor === undefined || answer['status'] === 'NOT_FOUND') return answer
      const age = Number(answer['latestLedger']) - Number(answer['ledger'])
      return age < hiddenFor ? notFound(answer) : answer
    }
  }

  /** The ledger this many before the latest, or the oldest retained. */
  async #tip(ledgersAgo: number): Promise<Tip> {
    const { latestLedger, oldestLedger } = await this.#call('getHealth')
    const sequence = Math.max(Number(oldestLedger), Number(latestLedger) - ledgersAgo)
    const pagination = { limit: 1 }
    const { ledgers } = await this.#call('getLedgers', { startLedger: sequence, pagination })
    const [ledger]: Json[] = Array.isArray(ledgers) ? ledgers : []
    return {
      sequence,
      closeTime: String(ledger?.['ledgerCloseTime']),
      hash: String(ledger?.['hash']),
    }
  }

  async #call(method: string, params?: Json): Promise<Json> {
    const request = { jsonrpc: '2.0', id: 1, method, ...(params && { params }) }
    const { result }: { result?: Json } = JSON.parse(await this.#pass(JSON.stringify(request)))
    if (!result) throw new Error(`${method} has no result`)
    return result
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

/** Promises the whole body and sends half of it. */
function cutShort(response: ServerResponse, body: string): void {
  const bytes = Buffer.from(body)
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
  })
  response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy())
}

function reply(
  response: ServerResponse,
  status: number,
  body: string,
  retryAfterSeconds = 1,
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 429 && { 'retry-after': String(retryAfterSeconds) }),
  })
  response.end(body)
}
