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
 * nothing to read since. An attempt that hangs holds up nobody, and nothing
 * more is asked while its answer is still to come.
 */
export class Reading<T> {
  readonly #options: ReadingOptions<T>
  #latest: { readonly value: T; readonly readAt: number } | undefined
  #misses = 0
  /** The attempt that somebody waits for. */
  #attempt: Promise<void> | undefined
  /** Whether there is still an answer to come, be it too late. */
  #isAsked = false

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

  /** Resolves within `withinMs`, however the attempt ended; two at once are one. */
  refresh(stop: AbortSignal): Promise<void> {
    this.#attempt ??= this.#try(stop).finally(() => {
      this.#attempt = undefined
    })
    return this.#attempt
  }

  async #try(stop: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options
    if (this.#isAsked) {
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
    this.#isAsked = true
    const answer = read(signal).finally(() => {
      this.#isAsked = false
    })
    const late = clock.sleep(withinMs, signal).then(() => {
      throw new Error(`no answer within ${withinMs} ms`)
    })
    try {
      return await Promise.race([answer, late])
    } finally {
      over.abort(new Error(`no answer within ${withinMs} ms`))
      answer.catch(() => undefined)
      late.catch(() => undefined)
    }
  }
}
