import type { SteadyClock } from '../../../platform/core/time/clock.ts'

/** The Date header has whole seconds, and an answer takes a while: smaller differences are no skew. */
const TOLERANCE_MS = 2_000

/**
 * A clock whose wall time is the API server's, as its answers tell it. The server and its controllers write times into
 * objects, and several operators compare those: each by its own clock would wait too long, or act at once. Between two
 * answers it runs with the monotonic clock, so that a jump of this machine's wall clock has no effect.
 */
export class ServerClock implements SteadyClock {
  readonly #clock: SteadyClock
  /** Wall time less monotonic time. This machine's before the first answer. */
  #baseMs: number

  constructor(clock: SteadyClock) {
    this.#clock = clock
    this.#baseMs = clock.now() - clock.monotonic()
  }

  now(): number {
    return Math.round(this.#baseMs + this.#clock.monotonic())
  }

  monotonic(): number {
    return this.#clock.monotonic()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal)
  }

  /** To be called with the Date header of each answer. */
  observe(date: string | undefined): void {
    const serverMs = Date.parse(date ?? '')
    if (Number.isNaN(serverMs)) return
    const baseMs = serverMs + 500 - this.#clock.monotonic()
    if (Math.abs(baseMs - this.#baseMs) > TOLERANCE_MS) this.#baseMs = baseMs
  }
}
