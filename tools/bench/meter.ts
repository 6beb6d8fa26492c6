/**
 * Preloaded (`node --import`) into both facilitators: times their HTTP requests to this machine and their
 * Postgres statements, and reports them on request. It uses Node's diagnostics channels where possible,
 * which add little overhead.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import pg from 'pg'
import { monotonicMs as now } from './monotonic.ts'

/** Start and end of a request, its body included, in `monotonicMs`. */
export type Interval = readonly [start: number, end: number]

/** One HTTP request of `fetch` to an RPC endpoint, up to the headers of its answer. */
export interface RpcRequest {
  /** Its RPC method, or the methods of its batch. */
  readonly methods: readonly string[]
  readonly time: Interval
}

export interface MeterReading {
  readonly rpc: readonly Interval[]
  /** Only for programs that pass the body to `fetch` as a string, as ours does. */
  readonly rpcRequests: readonly RpcRequest[]
  /** Sent to Postgres and answered. */
  readonly statements: readonly Interval[]
  /** 95th percentile of how late the event loop of the main thread was; the reading is of a timer of 1 ms. */
  readonly loopDelayP95Ms: number
  /** Processor time of all threads since the program's start. */
  readonly cpuMs: number
}

/** The histogram has the time between two of its timers, not how late one was. */
const LOOP_TIMER_MS = 1
const loopDelay = monitorEventLoopDelay({ resolution: LOOP_TIMER_MS })
loopDelay.enable()

let rpc: Interval[] = []
let rpcRequests: RpcRequest[] = []
let statements: Interval[] = []

const isLocal = (host: string) => host.includes('127.0.0.1')

/** Requests of `fetch`. */
interface UndiciEvent {
  readonly request: object & { readonly origin?: unknown }
}
const started = new WeakMap<object, number>()
subscribe('undici:request:create', (event) => {
  const { request } = event as UndiciEvent
  if (isLocal(String(request.origin))) started.set(request, now())
})
subscribe('undici:request:trailers', (event) => {
  const { request } = event as UndiciEvent
  const start = started.get(request)
  if (start !== undefined) rpc.push([start, now()])
})

/** Requests of libraries that use `node:http`. */
subscribe('http.client.request.start', (event) => {
  const { request } = event as { request: ClientRequest }
  if (!isLocal(request.host)) return
  const start = now()
  request.once('response', (response: IncomingMessage) => {
    response.once('end', () => rpc.push([start, now()]))
  })
})

const { fetch } = globalThis
globalThis.fetch = async function timed(input, init) {
  const methods = typeof init?.body === 'string' ? methodsIn(init.body) : []
  if (methods.length === 0) return fetch(input, init)
  const start = now()
  try {
    return await fetch(input, init)
  } finally {
    rpcRequests.push({ methods, time: [start, now()] })
  }
}

/** Parameters are base64 and numbers, so they cannot contain `"method"`. */
const methodsIn = (body: string): string[] =>
  [...body.matchAll(/"method":"(\w+)"/g)].flatMap(([, method]) => method ?? [])

const query = pg.Client.prototype.query
pg.Client.prototype.query = function timed(this: pg.Client, ...args: unknown[]) {
  const start = now()
  const answer = Reflect.apply(query, this, args)
  const end = () => statements.push([start, now()])
  if (answer instanceof Promise) answer.then(end, end)
  else end()
  return answer
} as typeof query

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const cpuMs = (user + system) / 1_000
  const loopDelayP95Ms = loopDelay.percentile(95) / 1e6 - LOOP_TIMER_MS
  loopDelay.reset()
  const reading: MeterReading = { rpc, rpcRequests, statements, cpuMs, loopDelayP95Ms }
  rpc = []
  rpcRequests = []
  statements = []
  process.send?.(reading)
})
// The channel must not keep the program alive.
process.channel?.unref()
