import { z } from 'zod'
import { retryAfterMs } from './retry-after.ts'
import { RpcError, type RpcErrorKind } from './rpc.ts'

export interface JsonRpcOptions {
  /** Address of the endpoint. */
  readonly url: string
  /** Plain http is refused otherwise: what it answers could be anybody's. */
  readonly allowHttp?: boolean
  /** For one request, its body included. */
  readonly timeoutMs?: number
  /** Told of every request once it has ended. */
  readonly onRequest?: (request: RpcRequest) => void
}

export interface RpcRequest {
  readonly method: string
  /** Absent when it was answered. */
  readonly failure?: RpcErrorKind
}

/** Sends one request and answers its `result`, in the shape of the schema. */
export type CallRpc = <S extends z.ZodType>(
  method: string,
  params: Readonly<Record<string, unknown>> | undefined,
  result: S,
  signal?: AbortSignal,
) => Promise<z.output<S>>

/**
 * Slower than any endpoint that is well, faster than the 25 s a settlement is watched for, so
 * that one hung request does not cost the verdict.
 */
export const DEFAULT_TIMEOUT_MS = 10_000

/** Statuses of doorkeepers: authentication, routing, size and rate limits. */
const refusals = new Set([400, 401, 403, 404, 405, 413, 415, 429])

/** JSON-RPC's codes for a request that was not even begun. */
const refusedUnread = new Set([-32_700, -32_600, -32_601, -32_602])

const responseSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
})

/** Throws RangeError when the URL is not one this client may speak to. */
export function jsonRpc(options: JsonRpcOptions): CallRpc {
  const url = checkedUrl(options)
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  return async function callRpc(method, params, result, signal) {
    try {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const limit = AbortSignal.timeout(timeoutMs)
      const text = await post(url, method, body, signal ? AbortSignal.any([signal, limit]) : limit)
      const answer = readAnswer(method, text, result)
      options.onRequest?.({ method })
      return answer
    } catch (error) {
      signal?.throwIfAborted()
      const failure = error instanceof RpcError ? error : transportError(method, error, timeoutMs)
      options.onRequest?.({ method, failure: failure.kind })
      throw failure
    }
  }
}

function checkedUrl({ url, allowHttp = false }: JsonRpcOptions): URL {
  const parsed = URL.parse(url)
  if (!parsed) throw new RangeError('the RPC address is not a URL')
  if (parsed.protocol === 'https:' || (parsed.protocol === 'http:' && allowHttp)) return parsed
  throw new RangeError(`the RPC address must be https${allowHttp ? ' or http' : ''}`)
}

async function post(url: URL, method: string, body: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal,
    redirect: 'error',
  })
  const text = await response.text()
  if (response.ok) return text
  const { status, headers } = response
  throw new RpcError('transport', method, `the endpoint answered HTTP ${status}`, {
    retryAfterMs: status === 429 || status === 503 ? retryAfterMs(headers) : undefined,
    wasRefused: refusals.has(status),
  })
}

function readAnswer<S extends z.ZodType>(method: string, text: string, schema: S): z.output<S> {
  const response = responseSchema.safeParse(parseJson(method, text))
  if (!response.success) throw new RpcError('unreadable', method, 'the answer is not JSON-RPC')
  const { error, result } = response.data
  if (error) {
    const wasRefused = refusedUnread.has(error.code)
    throw new RpcError('rejected', method, `${error.message} (${error.code})`, { wasRefused })
  }
  try {
    return schema.parse(result)
  } catch (cause) {
    // Beside the shape, the XDR inside may be broken.
    const detail = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)
    throw new RpcError('unreadable', method, detail, { cause })
  }
}

function parseJson(method: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new RpcError('unreadable', method, 'the answer is not JSON', { cause })
  }
}

function transportError(method: string, cause: unknown, timeoutMs: number): RpcError {
  const timedOut = cause instanceof Error && cause.name === 'TimeoutError'
  const detail = cause instanceof Error ? describe(cause) : String(cause)
  const message = timedOut ? `no answer within ${timeoutMs} ms` : detail
  return new RpcError('transport', method, message, { cause, wasRefused: neverConnected(cause) })
}

/** `fetch failed` says nothing; what failed is its cause. */
const describe = ({ message, cause }: Error): string =>
  cause instanceof Error ? `${message}: ${cause.message || cause.name}` : message

/** Failures of making a connection: nothing was sent over it. */
const connectFailures = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && connectFailures.has(String(cause.code))
}
