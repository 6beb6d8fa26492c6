/** Bounds of a queue. A request beyond them is refused at once: it would wait longer than its caller does. */
export interface QueueBounds {
  readonly maxRequests: number
  readonly maxBytes: number
}

interface Queueable {
  readonly bytes: number
  /** By the clock of the process, in milliseconds. */
  readonly queuedAt: number
}

/** Requests that wait to be sent, oldest first. */
export class RequestQueue<T extends Queueable> {
  readonly #bounds: QueueBounds
  #requests: T[] = []
  #bytes = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  get length(): number {
    return this.#requests.length
  }

  get oldest(): T | undefined {
    return this.#requests[0]
  }

  /** False when the queue is full; an empty one takes a request of any size. */
  add(request: T): boolean {
    const { maxRequests, maxBytes } = this.#bounds
    const isFull = this.length >= maxRequests || this.#bytes + request.bytes > maxBytes
    if (isFull && this.length > 0) return false
    this.#requests.push(request)
    this.#bytes += request.bytes
    return true
  }

  /** Puts requests that were taken back to the front, whatever the bounds. */
  putBack(requests: readonly T[]): void {
    this.#requests.unshift(...requests)
    this.#bytes += bytesOf(requests)
  }

  remove(request: T): void {
    const index = this.#requests.indexOf(request)
    if (index >= 0) this.#take(index, 1)
  }

  /** Takes the oldest ones, up to both limits, but at least one. */
  take(limits: { readonly requests: number; readonly bytes: number }): readonly T[] {
    let bytes = 0
    const end = this.#requests.findIndex((request, index) => {
      bytes += request.bytes
      return index > 0 && (index >= limits.requests || bytes > limits.bytes)
    })
    return this.#take(0, end < 0 ? this.length : end)
  }

  /** Takes those that were queued at `time` or earlier. */
  takeQueuedBy(time: number): readonly T[] {
    const end = this.#requests.findIndex(({ queuedAt }) => queuedAt > time)
    return this.#take(0, end < 0 ? this.length : end)
  }

  #take(start: number, count: number): readonly T[] {
    const taken = this.#requests.splice(start, count)
    this.#bytes -= bytesOf(taken)
    return taken
  }
}

const bytesOf = (requests: readonly Queueable[]): number =>
  requests.reduce((total, { bytes }) => total + bytes, 0)
