import { systemClock } from '../../platform/core/time/clock.ts'
import { undefinedWhenLate, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { OpenCount } from '../../platform/http/server/open-count.ts'
import type { HttpServer } from '../../platform/http/server/server.ts'
import { FacilitatorError } from './facilitator-error.ts'

export interface Request {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly payload?: object
}

/** A settlement is answered after 25 s at the latest. */
const CLOSE_GRACE_MS = 30_000

/** Requests to the routes of a server that listens on no port. Disposing of it refuses new ones, and waits for the others. */
export class Requests implements AsyncDisposable {
  readonly #app: HttpServer['app']
  readonly #open = new OpenCount()
  #isClosed = false

  constructor(app: HttpServer['app']) {
    this.#app = app
  }

  /**
   * The body of an answer that is a verdict. Its route has checked it, so it has the type of the route.
   * @throws FacilitatorError
   */
  async verdict<Body>(request: Request): Promise<Body> {
    if (this.#isClosed) throw closed()
    this.#open.enter()
    try {
      const { statusCode, body } = await this.#app.inject(request)
      const answer = JSON.parse(body)
      if (statusCode === 200) return answer
      const { code, reason, retryable } = answer.error
      throw new FacilitatorError(reason, { status: statusCode, code, retryable })
    } finally {
      this.#open.leave()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const limit = { clock: systemClock, ms: CLOSE_GRACE_MS }
    await withTimeLimit(limit, () => this.#open.idle()).catch(undefinedWhenLate)
  }
}

const closed = () =>
  new FacilitatorError('the facilitator is closed', {
    code: 'service_unavailable',
    status: 503,
    retryable: false,
  })
