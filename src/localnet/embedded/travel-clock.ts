import type { Clock, SteadyClock } from '../../platform/core/time/clock.ts'

/** Goes on from the system time at its creation, so that a test may replace `Date` without an effect on ledgers. */
export function independentClock(system: SteadyClock): Clock {
  const offset = system.now() - system.monotonic()
  return {
    now: () => offset + system.monotonic(),
    sleep: (ms, signal) => system.sleep(ms, signal),
  }
}

/** A clock that can be put ahead; its sleeps are real. */
export class TravelClock implements Clock {
  readonly #base: Clock
  /** Milliseconds ahead of the base. */
  aheadMs = 0

  constructor(base: Clock) {
    this.#base = base
  }

  now(): number {
    return this.#base.now() + this.aheadMs
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#base.sleep(ms, signal)
  }
}
