import { z } from 'zod'
import { stopwatch } from '../telemetry/stopwatch.ts'
import { type JsonRpcResponse, RequestLine, refusedUnread } from './request-line.ts'
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
  readonly seconds: number
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

/** What every settlement asks, and is answered in a few kilobytes: only these ever go together. */
const shareable = new Set(['simulateTransaction', 'sendTransaction', 'getTransaction'])

/** Throws RangeError when the URL is not one this client may speak to. */
export function jsonRpc(options: JsonRpcOptions): CallRpc {
  const url = checkedUrl(options)
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const shared = new RequestLine(url)
  return async function callRpc(method, params, result, signal) {
    const limit = AbortSignal.timeout(timeoutMs)
    const seconds = stopwatch()
    const line = shareable.has(method) ? shared : new RequestLine(url)
    try {
      const either = signal ? AbortSignal.any([signal, limit]) : limit
      const response = await line.exchange({ method, params }, either)
      const answer = readAnswer(method, response, result)
      options.onRequest?.({ method, seconds: seconds() })
      return answer
    } catch (error) {
      signal?.throwIfAborted()
      const failure = error instanceof RpcError ? error : timeoutError(method, error, timeoutMs)
      options.onRequest?.({ method, failure: failure.kind, seconds: seconds() })
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

function readAnswer<S extends z.ZodType>(
  method: string,
  { error, result }: JsonRpcResponse,
  schema: S,
): z.output<S> {
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

const timeoutError = (method: string, cause: unknown, timeoutMs: number): RpcError =>
  new RpcError('transport', method, `no answer within ${timeoutMs} ms`, { cause })
