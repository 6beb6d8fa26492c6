import { z } from 'zod'
import { type Clock, systemClock } from '../../../platform/core/time/clock.ts'
import { stopwatch } from '../../../platform/telemetry/traces/stopwatch.ts'
import { RpcError, type RpcErrorKind } from '../rpc.ts'
import { endpointQueues, type QueueName } from './endpoint-queues.ts'
import { encodeRequest, type JsonRpcResponse } from './post-json-rpc.ts'
import { firstIssues, refusalCodes } from './transport-errors.ts'

export interface JsonRpcOptions {
  /** Address of the endpoint. */
  readonly url: string
  /** Plain http is refused otherwise: anyone on the network path could change its answers. */
  readonly allowHttp?: boolean
  /** For one request, its answer included, from the moment it is sent. */
  readonly timeoutMs?: number
  /** Size limit of one answer, decompressed. @default `MAX_ANSWER_BYTES` */
  readonly maxAnswerBytes?: number
  /** Further headers of each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** @default that of node */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** @default the system's */
  readonly clock?: Clock
  /** Called at the end of every request. */
  readonly onRequest?: (request: RpcRequest) => void
  /** Called with the number of requests that wait in one of the endpoint's queues, after each change. */
  readonly onQueueLength?: (queue: QueueName, length: number) => void
}

export interface RpcRequest {
  readonly method: string
  /** Absent after an answer. */
  readonly failure?: RpcErrorKind
  readonly seconds: number
}

/** Sends one request and returns its `result`, parsed by the schema. */
export type CallRpc = <S extends z.ZodType>(
  method: string,
  params: Readonly<Record<string, unknown>> | undefined,
  result: S,
  signal?: AbortSignal,
  /** @default that of the method */
  queue?: QueueName,
) => Promise<z.output<S>>

/**
 * Longer than a healthy endpoint ever takes, shorter than the 25 s for which a settle request is kept
 * waiting, so that one hung request does not cost the answer.
 */
const DEFAULT_TIMEOUT_MS = 10_000

/** Throws RangeError when the URL is invalid or not https. */
export function jsonRpc(options: JsonRpcOptions): CallRpc {
  const { url, headers } = authenticated(checkedUrl(options), options.headers)
  const { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock, maxAnswerBytes } = options
  const { onRequest, onQueueLength, fetch } = options
  const exchange = endpointQueues({
    url,
    headers,
    timeoutMs,
    clock,
    maxAnswerBytes,
    fetch,
    onQueueLength,
  })
  return async function callRpc(method, params, result, signal, queue) {
    const seconds = stopwatch()
    try {
      const response = await exchange(encodeRequest(method, params), signal, queue)
      const answer = readAnswer(method, response, result)
      onRequest?.({ method, seconds: seconds() })
      return answer
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof RpcError) {
        onRequest?.({ method, failure: error.kind, seconds: seconds() })
      }
      throw error
    }
  }
}

function checkedUrl({ url, allowHttp = false }: JsonRpcOptions): URL {
  const parsed = URL.parse(url)
  if (!parsed) throw new RangeError('the RPC address is not a URL')
  if (parsed.protocol === 'https:' || (parsed.protocol === 'http:' && allowHttp)) return parsed
  throw new RangeError(`the RPC address must be https${allowHttp ? ' or http' : ''}`)
}

/** `fetch` refuses a URL with a user name or a password, and repeats it in its message: they become a header. */
function authenticated(url: URL, given: JsonRpcOptions['headers'] = {}) {
  const { username, password } = url
  if (username === '' && password === '') return { url, headers: given }
  const bare = new URL(url)
  bare.username = ''
  bare.password = ''
  const user = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { url: bare, headers: { authorization: `Basic ${user}`, ...given } }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function readAnswer<S extends z.ZodType>(
  method: string,
  { error, result }: JsonRpcResponse,
  schema: S,
): z.output<S> {
  if (error) {
    const wasRefused = refusalCodes.has(error.code)
    throw new RpcError('rejected', method, `${error.message} (${error.code})`, { wasRefused })
  }
  try {
    return schema.parse(result)
  } catch (error) {
    const cause = error instanceof z.ZodError ? firstIssues(error) : error
    // Schemas decode XDR too, which throws errors of its own.
    const detail = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)
    throw new RpcError('unreadable', method, detail, { cause })
  }
}
