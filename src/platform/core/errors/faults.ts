/**
 * Every error that ends a request without a payment verdict, by code: the HTTP status, whether the caller
 * may try again, the reason that replaces the code in the x402 members of `/verify` and `/settle`, and one
 * sentence. `docs/errors.md` is made from it.
 */
export const faults = {
  bad_request: {
    status: 400,
    retryable: false,
    wire: 'invalid_payload',
    help: 'the request is malformed',
  },
  unauthorized: { status: 401, retryable: false, wire: 'same', help: 'an API key is required' },
  not_found: { status: 404, retryable: false, wire: 'none', help: 'this path does not exist' },
  method_not_allowed: {
    status: 405,
    retryable: false,
    wire: 'invalid_payload',
    help: 'this path does not support this method',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    wire: 'same',
    help: 'the body is over the size limit',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    wire: 'same',
    help: 'the body must be application/json',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    wire: 'same',
    help: 'too many requests from this address, or with this API key',
  },
  explorer_invalid_query: {
    status: 400,
    retryable: false,
    wire: 'none',
    help: 'a query parameter of the explorer is unknown or malformed',
  },
  explorer_not_found: {
    status: 404,
    retryable: false,
    wire: 'none',
    help: 'the explorer has no such path',
  },
  explorer_tx_not_found: {
    status: 404,
    retryable: true,
    wire: 'none',
    help: 'no payment with this hash was observed, or not yet',
  },
  explorer_facilitator_not_found: {
    status: 404,
    retryable: false,
    wire: 'none',
    help: 'the explorer knows no facilitator with this id',
  },
  explorer_asset_not_found: {
    status: 404,
    retryable: false,
    wire: 'none',
    help: 'no payment in this asset was observed',
  },
  explorer_announce_invalid_url: {
    status: 400,
    retryable: false,
    wire: 'none',
    help: 'the announced URL is no address of a facilitator that may be asked',
  },
  explorer_announce_unreachable: {
    status: 502,
    retryable: true,
    wire: 'none',
    help: 'the announced facilitator did not answer /supported as it should',
  },
  explorer_internal_error: {
    status: 500,
    retryable: true,
    wire: 'none',
    help: 'the explorer failed; the log has the request id',
  },
  discovery_invalid_parameter: {
    status: 400,
    retryable: false,
    wire: 'none',
    help: 'a query parameter of the catalog is unknown or malformed',
  },
  discovery_listing_not_found: {
    status: 404,
    retryable: false,
    wire: 'none',
    help: 'the catalog has no listing with this id',
  },
  search_query_required: {
    status: 400,
    retryable: false,
    wire: 'none',
    help: 'the query is blank',
  },
  search_query_too_long: {
    status: 400,
    retryable: false,
    wire: 'none',
    help: 'the query has more than 500 characters',
  },
  search_invalid_cursor: {
    status: 400,
    retryable: false,
    wire: 'none',
    help: 'the cursor is not one of this query and these filters',
  },
  search_cursor_expired: {
    status: 400,
    retryable: false,
    wire: 'none',
    help: 'the catalog has changed since the first page: search again without the cursor',
  },
  internal_error: {
    status: 500,
    retryable: true,
    wire: 'unexpected',
    help: 'the service failed unexpectedly',
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    wire: 'unexpected',
    help: 'the service cannot answer at the moment',
  },
} as const satisfies Record<string, FaultKind>

interface FaultKind {
  readonly status: number
  readonly retryable: boolean
  /**
   * `same`: the code itself; `unexpected`: `unexpected_verify_error` or `unexpected_settle_error`; `none`: payment
   * routes never answer with it.
   */
  readonly wire: 'same' | 'invalid_payload' | 'unexpected' | 'none'
  /** One sentence, without a full stop. */
  readonly help: string
}

export type FaultCode = keyof typeof faults

export interface FaultOptions {
  /** One sentence for the caller; the table's when absent. */
  reason?: string
  details?: Readonly<Record<string, unknown>>
  cause?: unknown
}

/** Captures a stack trace only as `internal_error`; the code explains every other fault. */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly code: FaultCode
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: FaultCode, { reason, details, cause }: FaultOptions = {}) {
    const limit = Error.stackTraceLimit
    // Capturing a stack takes a fifth of the time of answering a malformed request.
    if (code !== 'internal_error') Error.stackTraceLimit = 0
    super(reason ?? faults[code].help, { cause })
    Error.stackTraceLimit = limit
    this.code = code
    this.details = details
  }

  get status(): number {
    return faults[this.code].status
  }

  get retryable(): boolean {
    return faults[this.code].retryable
  }
}
