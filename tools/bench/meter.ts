/**
 * Preloaded (`node --import`) into both facilitators: times every HTTP request they make to this
 * machine and the statements they send to Postgres, and tells when asked. It listens to Node's own
 * diagnostics channels where they tell enough, so what is measured is hardly changed by measuring.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import pg from 'pg'
import { monotonicMs as now } from './monotonic.ts'

/** Start and end of a request, its body included, as `monotonicMs` tells them. */
export type Interval = readonly [start: number, end: number]

/** One HTTP request of `fetch` to an RPC endpoint, up to the head of its answer. */
export interface Asked {
  /** What it asks: one method, or those of a batch. */
  readonly methods: readonly string[]
  readonly time: Interval
}

export interface MeterReading {
  readonly rpc: readonly Interval[]
  /** Of programs that put their requests as text into `fetch`: ours does. */
  readonly asked: readonly Asked[]
  /** Sent to Postgres and answered. */
  readonly statements: readonly Interval[]
  /** Processor time of the program since it began, all its threads together. */
  readonly cpuMs: number
}

let rpc: Interval[] = []
let asked: Asked[] = []
let statements: Interval[] = []

const isLocal = (host: string) => host.includes('127.0.0.1')

/** What `fetch` sends. */
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

/** What libraries on `node:http` send. */
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
    asked.push({ methods, time: [start, now()] })
  }
}

/** Parameters are base64 and numbers: no quotation mark of theirs can look like a method's. */
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
  const reading: MeterReading = { rpc, asked, statements, cpuMs }
  rpc = []
  asked = []
  statements = []
  process.send?.(reading)
})
// Being asked must not be what keeps a program alive.
process.channel?.unref()
