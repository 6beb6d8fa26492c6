import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { type ApiCall, readCall } from './api-call.ts'
import {
  type ApiFault,
  isWatchFault,
  PlannedFault,
  type RequestFault,
  type RequestFilter,
  statusBody,
  type WatchFault,
} from './api-faults.ts'
import { WatchStream } from './watch-stream.ts'

export interface JournalEntry extends ApiCall {
  /** Milliseconds since the proxy started. */
  readonly atMs: number
  /** Undefined until the answer, and when there is none. */
  readonly status: number | undefined
  readonly requestBytes: number
  /** So far: a watch is recorded when it opens. */
  readonly responseBytes: number
  /** The injected fault. */
  readonly fault: ApiFault['kind'] | undefined
}

/** Stands for the user of the kubeconfig that the proxy was started with. kubectl prompts for credentials without a token. */
export const OWNER_TOKEN = 'owner-of-the-proxy'

type Entry = { -readonly [Field in keyof JournalEntry]: JournalEntry[Field] }

/** Forwards requests to the API server, records them, and injects faults. */
export class ProxyHandler {
  readonly journal: Entry[] = []
  readonly #target: URL
  readonly #headers: RequestOptions['headers']
  readonly #asOwner: Agent
  readonly #asCaller: Agent
  readonly #planned: PlannedFault<RequestFault>[] = []
  readonly #plannedForWatches: PlannedFault<WatchFault>[] = []
  readonly #watches = new Set<WatchStream>()
  readonly #startedMs = performance.now()

  constructor(target: URL, { ca, cert, key, rejectUnauthorized, headers }: RequestOptions) {
    const trust = {
      keepAlive: true,
      ...(ca !== undefined && { ca }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    }
    this.#target = target
    this.#headers = headers
    this.#asOwner = new Agent({ ...trust, ...(cert && { cert }), ...(key && { key }) })
    // The API server prefers a client certificate to a token.
    this.#asCaller = new Agent(trust)
  }

  plan(fault: ApiFault, filter: RequestFilter): { heal(): void } {
    if (!isWatchFault(fault)) {
      const planned = new PlannedFault(fault, filter)
      this.#planned.unshift(planned)
      return planned
    }
    const planned = new PlannedFault(fault, filter)
    this.#plannedForWatches.unshift(planned)
    for (const watch of this.#watches) if (planned.hits(watch.call)) watch.inject(planned)
    return planned
  }

  heal(): void {
    for (const planned of [...this.#planned, ...this.#plannedForWatches]) planned.heal()
  }

  close(): void {
    this.#asOwner.destroy()
    this.#asCaller.destroy()
  }

  handle(incoming: IncomingMessage, response: ServerResponse): void {
    const call = readCall(incoming)
    const fault = this.#planned.find((planned) => planned.hits(call))?.fault
    const entry: Entry = {
      ...call,
      atMs: performance.now() - this.#startedMs,
      status: undefined,
      requestBytes: 0,
      responseBytes: 0,
      fault: fault?.kind,
    }
    this.journal.push(entry)
    incoming.on('data', (part: Buffer) => {
      entry.requestBytes += part.length
    })
    switch (fault?.kind) {
      case undefined:
      case 'lose answer':
        this.#forward(entry, incoming, response)
        break
      case 'slow': {
        incoming.pause()
        const timer = setTimeout(
          () => this.#forward(entry, incoming, response),
          fault.seconds * 1000,
        )
        response.once('close', () => clearTimeout(timer))
        break
      }
      case 'hang':
        break
      case 'gate':
        this.#throughGate(fault, entry, incoming, response).catch(() => response.destroy())
        break
      case 'status':
        entry.status = fault.status
        refuseWith(fault, response)
    }
  }

  async #throughGate(
    { pass }: RequestFault & { kind: 'gate' },
    entry: Entry,
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = await buffer(incoming)
    const answer = await pass(entry, body.toString(), async () => {
      const outgoing = this.#ask(incoming)
      outgoing.end(body)
      const [arrived] = await once(outgoing, 'response')
      return arrived as IncomingMessage
    })
    this.#answer(entry, answer, response)
  }

  #forward(entry: Entry, incoming: IncomingMessage, response: ServerResponse): void {
    const outgoing = this.#ask(incoming)
    outgoing.once('error', () => response.destroy())
    outgoing.once('response', (answer) => {
      if (entry.fault === 'lose answer') {
        answer.resume()
        answer.once('end', () => response.destroy())
        return
      }
      this.#answer(entry, answer, response)
    })
    // The client disconnected, or got its answer.
    response.once('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }

  #ask(incoming: IncomingMessage): ClientRequest {
    const { authorization, ...headers } = incoming.headers
    const isOwner = authorization === `Bearer ${OWNER_TOKEN}`
    return request({
      host: this.#target.hostname,
      port: this.#target.port || 443,
      path: `${this.#target.pathname.replace(/\/$/, '')}${incoming.url}`,
      method: incoming.method,
      agent: isOwner ? this.#asOwner : this.#asCaller,
      headers: {
        ...headers,
        ...(isOwner ? Object(this.#headers) : authorization && { authorization }),
        host: this.#target.host,
      },
    })
  }

  #answer(entry: Entry, answer: IncomingMessage, response: ServerResponse): void {
    entry.status = answer.statusCode
    answer.on('data', (part: Buffer) => {
      entry.responseBytes += part.length
    })
    const { connection: _, 'transfer-encoding': __, ...headers } = answer.headers
    answer.once('error', () => response.destroy())
    response.writeHead(answer.statusCode ?? 502, headers)
    const isWatch = entry.verb === 'watch' && answer.statusCode === 200
    if (!isWatch || !headers['content-type']?.startsWith('application/json')) {
      answer.pipe(response)
      return
    }
    response.flushHeaders()
    const watch = new WatchStream(entry, answer, response)
    this.#watches.add(watch)
    response.once('close', () => this.#watches.delete(watch))
    const planned = this.#plannedForWatches.find((each) => each.hits(entry))
    if (planned) {
      entry.fault = planned.fault.kind
      watch.inject(planned)
    }
  }
}

function refuseWith(
  { status, retryAfterSeconds }: RequestFault & { kind: 'status' },
  response: ServerResponse,
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  })
  response.end(JSON.stringify(statusBody(status)))
}
