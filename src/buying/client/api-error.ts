import type { ErrorMember } from './service-types.ts'

/**
 * Why a request got no answer of the API: a code of [docs/errors.md](../../docs/errors.md), or
 *
 * - `unreachable`: no complete answer arrived; `cause` says why
 * - `unexpected_answer`: what arrived is not of this API, such as a proxy's page
 * - `answer_too_large`: it is larger than `maxBytes`
 */
export type ApiErrorCode =
  | ErrorMember['code']
  | 'unreachable'
  | 'unexpected_answer'
  | 'answer_too_large'

interface Told {
  readonly code: ApiErrorCode
  readonly retryable: boolean
  readonly status?: number | undefined
  readonly retryAfter?: number | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/** A request that did not succeed. `message` is a sentence for people, and may change. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** HTTP status; undefined when no answer arrived. */
  readonly status: number | undefined
  /** Seconds to wait before the next request, where the service names them. */
  readonly retryAfter: number | undefined
  /** Such as `parameter` and `value` of a refused parameter. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(message: string, { code, retryable, status, retryAfter, details, cause }: Told) {
    super(message, { cause })
    this.code = code
    this.retryable = retryable
    this.status = status
    this.retryAfter = retryAfter
    this.details = details
  }
}
