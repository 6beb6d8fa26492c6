/**
 * Preloaded (`node --import`) into both facilitators: times every HTTP request they make to this
 * machine and counts the statements they send to Postgres, and tells when asked. It listens to
 * Node's own diagnostics channels, so what is measured is not changed by measuring.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import pg from 'pg'
import { monotonicMs as now } from './monotonic.ts'

/** Start and end of a request, its body included, as `monotonicMs` tells them. */
export type Interval = readonly [start: number, end: number]

export interface MeterReading {
  readonly rpc: readonly Interval[]
  readonly statements: number
}

let rpc: Interval[] = []
let statements = 0

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

const query = pg.Client.prototype.query
pg.Client.prototype.query = function counted(this: pg.Client, ...args: unknown[]) {
  statements += 1
  return Reflect.apply(query, this, args)
} as typeof query

process.on('message', () => {
  const reading: MeterReading = { rpc, statements }
  rpc = []
  statements = 0
  process.send?.(reading)
})
// Being asked must not be what keeps a program alive.
process.channel?.unref()
