import type { Clock } from '../../../platform/core/time/clock.ts'

/** A node processes such a batch in a fraction of its time limit. */
const MAX_REQUESTS = 25
/** Half of what stellar-rpc reads of a request; it answers HTTP 500 beyond 512 KiB. */
const MAX_BYTES = 256 * 1024
/** An endpoint that refuses a batch below this size is sent single requests: few would fit into one. */
const MIN_BYTES = 16 * 1024
/** After a refusal smaller batches are sent for this long: a proxy may have been reconfigured since. */
const SMALLER_FOR_MS = 60_000

interface BatchSize {
  readonly requests: number
  readonly bytes: number
}

/** The size of the batches that one endpoint accepts, learned from those it refuses. */
export class BatchLimits {
  readonly #clock: Clock
  readonly #maxRequests: number
  #requests: number
  #bytes = MAX_BYTES
  #smallerUntil = 0

  /** @param maxRequests 1 for requests that are never batched */
  constructor(clock: Clock, maxRequests = MAX_REQUESTS) {
    this.#clock = clock
    this.#maxRequests = maxRequests
    this.#requests = maxRequests
  }

  /** Limits of the next batch; with one request, no batches are accepted. */
  get current(): BatchSize {
    if (this.#clock.now() >= this.#smallerUntil) {
      this.#requests = this.#maxRequests
      this.#bytes = MAX_BYTES
    }
    return { requests: this.#requests, bytes: this.#bytes }
  }

  /** How many batches of the current size hold what a full one would. */
  get perFullBatch(): number {
    return Math.ceil(this.#maxRequests / this.current.requests)
  }

  /** Halves the limit that a refused batch exceeded: its bytes after HTTP 413, else its requests. */
  refused(batch: BatchSize, wasTooLarge: boolean): void {
    if (wasTooLarge) this.#bytes = Math.min(this.#bytes, Math.floor(batch.bytes / 2))
    else this.#requests = Math.min(this.#requests, Math.floor(batch.requests / 2))
    if (this.#bytes < MIN_BYTES) this.#requests = 1
    this.#smallerUntil = this.#clock.now() + SMALLER_FOR_MS
  }
}
