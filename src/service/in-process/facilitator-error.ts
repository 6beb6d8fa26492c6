/** A request that got no verdict: what a facilitator over HTTP answers with another status than 200. */
export class FacilitatorError extends Error {
  override readonly name = 'FacilitatorError'
  /** A code of docs/errors.md, such as `service_unavailable`. */
  readonly code: string
  /** HTTP status. */
  readonly status: number
  /** Whether the same request may succeed later. */
  readonly retryable: boolean

  constructor(
    message: string,
    { code, status, retryable }: Pick<FacilitatorError, 'code' | 'status' | 'retryable'>,
  ) {
    super(message)
    this.code = code
    this.status = status
    this.retryable = retryable
  }
}
