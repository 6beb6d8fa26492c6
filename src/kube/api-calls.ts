import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { SteadyClock } from '../core/clock.ts'
import type { CallOptions } from './client.ts'
import type { KubeConnection, KubeRequest } from './connection.ts'
import { withDeadline } from './deadline.ts'
import { errorOfAnswer, KubeError } from './kube-error.ts'
import type { KubeMetrics } from './metrics.ts'
import { TokenBucket } from './token-bucket.ts'

/** One request as a verb needs it. */
export interface ApiCall {
  readonly verb: 'get' | 'list' | 'watch' | 'apply' | 'patch' | 'create' | 'delete'
  readonly method: KubeRequest['method']
  /** The plural name of what is asked for; a label of metrics. */
  readonly resource: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly contentType?: string
}

export interface ApiAnswer {
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
}

export interface ApiCaller {
  /** The whole answer, read and parsed. */
  read(call: ApiCall, options?: CallOptions): Promise<ApiAnswer>
  /** The head of an answer whose body is still to come. */
  open(call: ApiCall, options?: CallOptions): Promise<IncomingMessage>
}

/** What every request has in common: the rate limit, the deadline, the headers, errors and metrics. */
export function createApiCaller(options: ApiCallerOptions): ApiCaller {
  const { clock, metrics, timeoutMs } = options
  const bucket = new TokenBucket({ perSecond: options.qps, burst: options.burst, clock })

  const pace = async (signal: AbortSignal): Promise<void> => {
    const waitMs = bucket.take()
    if (waitMs === 0) return
    metrics.throttledSeconds.inc({}, waitMs / 1000)
    await clock.sleep(waitMs, signal)
  }

  const send = async (call: ApiCall, signal: AbortSignal): Promise<IncomingMessage> => {
    await pace(signal)
    const started = clock.monotonic()
    const { verb, resource } = call
    const count = (code: string) => {
      metrics.apiRequests.inc({ verb, resource, code })
      metrics.apiSeconds.observe({ verb }, (clock.monotonic() - started) / 1000)
    }
    try {
      const answer = await options.connection.send(requestOf(call, options.userAgent, signal))
      count(String(answer.statusCode))
      return await successOnly(answer, call)
    } catch (error) {
      if (error instanceof KubeError) throw error
      count('none')
      throw new KubeError({
        kind: 'transport',
        message: `${whatOf(call)} got no answer${because(error)}`,
        cause: error,
      })
    }
  }

  return {
    open: (call, { signal, timeoutMs: ms = timeoutMs } = {}) =>
      withDeadline({ ms, signal, what: whatOf(call) }, (limited) => send(call, limited)),
    read: (call, { signal, timeoutMs: ms = timeoutMs } = {}) =>
      withDeadline({ ms, signal, what: whatOf(call) }, async (limited) => {
        const answer = await send(call, limited)
        return { status: answer.statusCode ?? 0, value: await parsed(answer, call) }
      }),
  }
}

/** `GET /api/v1/pods`: enough to know the call in a log, without what a query or a body may hold. */
export const whatOf = ({ method, path }: ApiCall): string => `${method} ${path}`

function requestOf(call: ApiCall, userAgent: string, signal: AbortSignal): KubeRequest {
  const { method, path, query = {}, body, contentType = 'application/json' } = call
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const search = new URLSearchParams(given).toString()
  const text = body === undefined ? undefined : JSON.stringify(body)
  return {
    method,
    path: search ? `${path}?${search}` : path,
    signal,
    headers: {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(text === undefined
        ? {}
        : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)) }),
    },
    ...(text === undefined ? {} : { body: text }),
  }
}

async function successOnly(answer: IncomingMessage, call: ApiCall): Promise<IncomingMessage> {
  const status = answer.statusCode ?? 0
  if (status >= 200 && status < 300) return answer
  const body = await text(answer)
  const retryAfter = answer.headers['retry-after']
  throw errorOfAnswer({ status, retryAfter, body, what: whatOf(call) })
}

async function parsed(answer: IncomingMessage, call: ApiCall): Promise<unknown> {
  try {
    return JSON.parse(await text(answer))
  } catch (error) {
    const message = `${whatOf(call)} got an answer that cannot be read${because(error)}`
    throw new KubeError({ kind: 'transport', message, cause: error })
  }
}

const because = (error: unknown): string => (error instanceof Error ? `: ${error.message}` : '')
