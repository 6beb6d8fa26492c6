import type { Clock } from '../../core/clock.ts'

export interface ReadingOptions<T> {
  readonly read: (signal: AbortSignal) => Promise<T>
  readonly clock: Clock
  /** An answer that takes longer is none, in milliseconds. */
  readonly withinMs: number
  readonly onError: (error: unknown) => void
}

/**
 * One thing that is read again and again: what was read last, and how often in a row there was
 * nothing to read since. An attempt that hangs holds up nobody, and is never joined by a second one.
 */
export class Reading<T> {
  readonly #options: ReadingOptions<T>
  #latest: { readonly value: T; readonly readAt: number } | undefined
  #misses = 0
  #isUnderWay = false

  constructor(options: ReadingOptions<T>) {
    this.#options = options
  }

  /** As it was at `readAt`, however long ago that is; undefined before the first success. */
  get latest(): { readonly value: T; readonly readAt: number } | undefined {
    return this.#latest
  }

  /** Attempts in a row without an answer; 0 when the last one succeeded, or none was made. */
  get misses(): number {
    return this.#misses
  }

  /** Resolves within `withinMs`, however the attempt ended. */
  async refresh(stop: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options
    if (this.#isUnderWay) {
      this.#misses += 1
      return
    }
    try {
      const value = await this.#inTime(stop)
      this.#latest = { value, readAt: clock.now() }
      this.#misses = 0
    } catch (error) {
      if (stop.aborted) return
      this.#misses += 1
      onError(error)
    }
  }

  async #inTime(stop: AbortSignal): Promise<T> {
    const { read, clock, withinMs } = this.#options
    const over = new AbortController()
    const signal = AbortSignal.any([stop, over.signal])
    this.#isUnderWay = true
    const reading = read(signal).finally(() => {
      this.#isUnderWay = false
    })
    const late = clock.sleep(withinMs, signal).then(() => {
      throw new Error(`no answer within ${withinMs} ms`)
    })
    try {
      return await Promise.race([reading, late])
    } finally {
      over.abort(new Error(`no answer within ${withinMs} ms`))
      reading.catch(() => undefined)
      late.catch(() => undefined)
    }
  }
}
