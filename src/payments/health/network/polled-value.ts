import type { LastRead } from '../../../diagnosis/facts/facts.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../../platform/core/time/time-limit.ts'

export interface PolledValueOptions<T> {
  readonly read: (signal: AbortSignal) => Promise<T>
  readonly clock: Clock
  /** Time limit of one read, in milliseconds. */
  readonly withinMs: number
  readonly onError: (error: unknown) => void
}

/**
 * A value that is read repeatedly: the last one read, and the number of failed reads since. A read that
 * hangs delays its caller by no more than the limit, and no other read starts before it ends.
 */
export class PolledValue<T> {
  readonly #options: PolledValueOptions<T>
  #latest: { readonly value: T; readonly readAt: number } | undefined
  #misses = 0
  #refreshing: Promise<void> | undefined
  /** Whether a read is in progress, even one past its limit. */
  #isReading = false

  constructor(options: PolledValueOptions<T>) {
    this.#options = options
  }

  /** The last value read, however old; undefined before the first success. */
  get latest(): { readonly value: T; readonly readAt: number } | undefined {
    return this.#latest
  }

  /** Failed reads in a row; 0 after a success and before the first read. */
  get misses(): number {
    return this.#misses
  }

  /** Resolves within `withinMs`, whether the read succeeded or not. Concurrent calls share one read. */
  refresh(stop: AbortSignal): Promise<void> {
    this.#refreshing ??= this.#tryRead(stop).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #tryRead(stop: AbortSignal): Promise<void> {
    const { clock, withinMs: ms, onError } = this.#options
    if (this.#isReading) {
      this.#misses += 1
      return
    }
    try {
      const value = await withTimeLimit({ clock, ms, signal: stop }, (signal) => this.#read(signal))
      this.#latest = { value, readAt: clock.now() }
      this.#misses = 0
    } catch (error) {
      if (stop.aborted) return
      this.#misses += 1
      onError(error)
    }
  }

  async #read(signal: AbortSignal): Promise<T> {
    this.#isReading = true
    try {
      return await this.#options.read(signal)
    } finally {
      this.#isReading = false
    }
  }
}

export const lastOf = <T>({ latest, misses }: PolledValue<T>): LastRead<NonNullable<T>> => ({
  value: latest?.value ?? undefined,
  misses,
})
