/** Turns failures of HTTP and JSON-RPC into `RpcError`. */
import { z } from 'zod'
import { AnswerTooLarge } from '../../../platform/core/errors/read-answer.ts'
import { RpcError } from '../rpc.ts'

/** JSON-RPC codes of a request that was refused before it was processed. */
export const refusalCodes: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602])

/** HTTP statuses of a request that was refused before it was processed: authentication, routing, size, rate. */
const refusalStatuses = new Set([400, 401, 403, 404, 405, 413, 415, 429])
/** Refusal statuses whose cause may be the batch rather than a request in it. */
const batchRefusalStatuses = new Set([400, 404, 405, 413, 415])

export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal'
  readonly response: Response

  constructor(response: Response) {
    super(`the endpoint answered HTTP ${response.status}`)
    this.response = response
  }
}

/** A batch was answered with one JSON-RPC error, as if it were a single malformed request. */
export class BatchRefusal extends Error {
  override readonly name = 'BatchRefusal'
}

const MAX_ISSUES = 5

/** An issue takes 400 bytes, an answer may cause one with every second byte, and pools keep the last error of each endpoint. */
export const firstIssues = ({ issues }: z.ZodError): z.ZodError =>
  new z.ZodError(issues.slice(0, MAX_ISSUES))

/** Whether the endpoint refused the batch as such: its requests may be sent again one by one. */
export const isBatchRefused = (error: unknown): boolean =>
  error instanceof BatchRefusal ||
  (error instanceof HttpRefusal && batchRefusalStatuses.has(error.response.status))

export function toRpcError(method: string, error: unknown): RpcError {
  if (error instanceof HttpRefusal) {
    const { status, headers } = error.response
    return new RpcError('transport', method, error.message, {
      retryAfterMs: status === 429 || status === 503 ? parseRetryAfter(headers) : undefined,
      wasRefused: refusalStatuses.has(status),
    })
  }
  if (error instanceof SyntaxError) {
    return new RpcError('unreadable', method, 'the answer is not JSON', { cause: error })
  }
  if (error instanceof z.ZodError) {
    const cause = firstIssues(error)
    return new RpcError('unreadable', method, 'the answer is not JSON-RPC', { cause })
  }
  if (error instanceof AnswerTooLarge) {
    return new RpcError('unreadable', method, error.message, { cause: error })
  }
  const message = error instanceof Error ? describe(error) : String(error)
  const wasRefused = isConnectFailure(error)
  return new RpcError('transport', method, message, { cause: error, wasRefused })
}

/**
 * The delay of a `Retry-After` header in milliseconds (RFC 9110, 10.2.3); undefined without one. A date
 * is taken relative to the response's own `Date`, so that the two clocks need not agree.
 */
export function parseRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1_000
  const ms = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** The message of `fetch` is always `fetch failed`; its cause says what failed. */
const describe = ({ message, cause }: Error): string =>
  cause instanceof Error ? `${message}: ${cause.message || cause.name}` : message

/** Failures to open a connection: nothing was sent over it. */
const connectFailures = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function isConnectFailure(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && connectFailures.has(String(cause.code))
}
