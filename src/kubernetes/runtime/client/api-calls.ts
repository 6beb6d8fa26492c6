import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { type SteadyClock, systemClock } from '../../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../../platform/core/time/time-limit.ts'
import type { KubeMetrics } from '../metrics/metrics.ts'
import type { KubeConnection, KubeRequest } from './connection.ts'
import { FairTokens } from './fair-tokens.ts'
import { JsonItems } from './json-items.ts'
import { errorOfAnswer, KubeError } from './kube-error.ts'
import type { ServerClock } from './server-clock.ts'
import type { Verb } from './verbs.ts'

export interface CallOptions {
  readonly signal?: AbortSignal
  /** From the first byte sent to the last one read, in milliseconds. @default the client's */
  readonly timeoutMs?: number
}

/** One request of a verb. */
export interface ApiCall {
  readonly verb: Verb
  readonly method: KubeRequest['method']
  /** The plural name of the kind; a label of metrics. */
  readonly resource: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  /** @default application/json */
  readonly accept?: string
}

interface ApiAnswer {
  readonly status: number
  readonly value: unknown
}

export interface ApiCallerOptions {
  readonly connection: KubeConnection
  readonly clock: SteadyClock
  readonly userAgent: string
  readonly qps: number
  readonly burst: number
  readonly timeoutMs: number
  readonly metrics: KubeMetrics
  readonly serverClock?: Pick<ServerClock, 'observe'>
}

export interface ApiCaller {
  /** The whole answer, read and parsed. */
  read(call: ApiCall, options?: CallOptions): Promise<ApiAnswer>
  /** The answer of a list without its objects: each is parsed and given away as it arrives, and none is held. */
  readItems(call: ApiCall, onItem: (item: unknown) => void, options?: CallOptions): Promise<unknown>
  /** The head of an answer; the caller reads the body. */
  open(call: ApiCall, options?: CallOptions): Promise<IncomingMessage>
}

/** Adds to every request the rate limit, the time limit, the headers, the typed errors and the metrics. */
export function createApiCaller(options: ApiCallerOptions): ApiCaller {
  const { clock, metrics } = options
  const tokens = new FairTokens({ perSecond: options.qps, burst: options.burst, clock })

  const send = async (call: ApiCall, signal: AbortSignal): Promise<IncomingMessage> => {
    const asked = clock.monotonic()
    await tokens.take(namespaceOf(call), signal)
    const started = clock.monotonic()
    if (started > asked) metrics.throttledSeconds.inc({}, (started - asked) / 1000)
    const { verb, resource } = call
    const count = (code: string) => {
      metrics.apiRequests.inc({ verb, resource, code })
      metrics.apiSeconds.observe({ verb }, (clock.monotonic() - started) / 1000)
    }
    try {
      const answer = await options.connection.send(requestOf(call, options.userAgent, signal))
      count(String(answer.statusCode))
      options.serverClock?.observe(answer.headers.date)
      return await requireSuccess(answer, call)
    } catch (error) {
      if (error instanceof KubeError) throw error
      count('none')
      throw transportError(`${nameOf(call)} got no answer`, error)
    }
  }

  const limitOf = (call: ApiCall, { timeoutMs = options.timeoutMs, signal }: CallOptions = {}) => ({
    // Real time, whatever clock the caller has: the request waits for a socket.
    clock: systemClock,
    ms: timeoutMs,
    signal,
    lateError: () => transportError(`${nameOf(call)} took over ${timeoutMs} ms`),
  })

  return {
    open: (call, limits) => withTimeLimit(limitOf(call, limits), (signal) => send(call, signal)),
    read: (call, limits) =>
      withTimeLimit(limitOf(call, limits), async (signal) => {
        const answer = await send(call, signal)
        return { status: answer.statusCode ?? 0, value: await parse(answer, call) }
      }),
    readItems: (call, onItem, limits) =>
      withTimeLimit(limitOf(call, limits), async (signal) =>
        parseItems(await send(call, signal), call, onItem),
      ),
  }
}

const JSON_TYPE = 'application/json'

/** `GET /api/v1/pods`: identifies the call in a log, without its query and body. */
const nameOf = ({ method, path }: ApiCall): string => `${method} ${path}`

/** A request for the namespace itself is one of it, too. */
const namespaceOf = ({ path }: ApiCall): string => /\/namespaces\/([^/]+)/.exec(path)?.[1] ?? ''

function requestOf(call: ApiCall, userAgent: string, signal: AbortSignal): KubeRequest {
  const { method, path, query = {}, body } = call
  const { contentType = JSON_TYPE, accept = JSON_TYPE } = call
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const search = new URLSearchParams(given).toString()
  const text = body === undefined ? undefined : JSON.stringify(body)
  return {
    method,
    path: search ? `${path}?${search}` : path,
    signal,
    headers: {
      accept,
      'user-agent': userAgent,
      ...(text === undefined
        ? {}
        : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)) }),
    },
    ...(text === undefined ? {} : { body: text }),
  }
}

async function requireSuccess(answer: IncomingMessage, call: ApiCall): Promise<IncomingMessage> {
  const status = answer.statusCode ?? 0
  if (status >= 200 && status < 300) return answer
  const body = await text(answer)
  const retryAfter = answer.headers['retry-after']
  throw errorOfAnswer({ status, retryAfter, body, call: nameOf(call) })
}

async function parse(answer: IncomingMessage, call: ApiCall): Promise<unknown> {
  const body = await text(answer).catch((error: unknown) => {
    throw transportError(`${nameOf(call)} got an incomplete answer`, error)
  })
  return parsed(body, call)
}

async function parseItems(
  answer: IncomingMessage,
  call: ApiCall,
  onItem: (item: unknown) => void,
): Promise<unknown> {
  const items = new JsonItems((json) => onItem(parsed(json, call)))
  answer.setEncoding('utf8')
  const chunks: AsyncIterator<string> = answer[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await chunks.next().catch((error: unknown) => {
      throw transportError(`${nameOf(call)} got an incomplete answer`, error)
    })
    if (done) return parsed(items.rest, call)
    items.add(value)
  }
}

function parsed(json: string, call: ApiCall): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw transportError(`${nameOf(call)} got an answer that is not JSON`, error)
  }
}

function transportError(problem: string, cause?: unknown): KubeError {
  const message = cause instanceof Error ? `${problem}: ${cause.message}` : problem
  return new KubeError({ kind: 'transport', message, cause })
}
