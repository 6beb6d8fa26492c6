import { z } from 'zod'
import { stopwatch } from '../telemetry/stopwatch.ts'
import { BatchingTransport, type JsonRpcResponse } from './batching-transport.ts'
import { RpcError, type RpcErrorKind } from './rpc.ts'
import { refusalCodes } from './transport-errors.ts'

export interface JsonRpcOptions {
  /** Address of the endpoint. */
  readonly url: string
  /** Plain http is refused otherwise: anyone on the network path could change its answers. */
  readonly allowHttp?: boolean
  /** For one request, its body included. */
  readonly timeoutMs?: number
  /** Called at the end of every request. */
  readonly onRequest?: (request: RpcRequest) => void
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
) => Promise<z.output<S>>

/**
 * Longer than a healthy endpoint ever takes, shorter than the 25 s for which a settle request is kept
 * waiting, so that one hung request does not cost the answer.
 */
const DEFAULT_TIMEOUT_MS = 10_000

/** Only these are batched: every settlement sends them, and their answers are a few kilobytes. */
const batchable = new Set(['simulateTransaction', 'sendTransaction', 'getTransaction'])

/** Throws RangeError when the URL is invalid or not https. */
export function jsonRpc(options: JsonRpcOptions): CallRpc {
  const url = checkedUrl(options)
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS
  const batching = new BatchingTransport(url)
  return async function callRpc(method, params, result, signal) {
    const limit = AbortSignal.timeout(timeoutMs)
    const seconds = stopwatch()
    const transport = batchable.has(method) ? batching : new BatchingTransport(url)
    try {
      const either = signal ? AbortSignal.any([signal, limit]) : limit
      const response = await transport.exchange({ method, params }, either)
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
    const wasRefused = refusalCodes.has(error.code)
    throw new RpcError('rejected', method, `${error.message} (${error.code})`, { wasRefused })
  }
  try {
    return schema.parse(result)
  } catch (cause) {
    // Schemas decode XDR too, which throws errors of its own.
    const detail = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause)
    throw new RpcError('unreadable', method, detail, { cause })
  }
}

const timeoutError = (method: string, cause: unknown, timeoutMs: number): RpcError =>
  new RpcError('transport', method, `no answer within ${timeoutMs} ms`, { cause })
