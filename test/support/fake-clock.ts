import type { SteadyClock } from '../../src/platform/core/time/clock.ts'

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

/** A clock that moves only when a test calls `advance`. */
export class FakeClock implements SteadyClock {
  #now: number
  #jumped = 0
  #sleepers: Sleeper[] = []

  constructor(startMs = 1_790_000_000_000) {
    this.#now = startMs
  }

  now(): number {
    return this.#now + this.#jumped
  }

  monotonic(): number {
    return this.#now
  }

  /** Moves the wall clock forward or back, without effect on sleeps and monotonic time. */
  jump(ms: number): void {
    this.#jumped += ms
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const sleeper = { until: this.#now + ms, wake: resolve }
      this.#sleepers.push(sleeper)
      signal?.addEventListener(
        'abort',
        () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
          reject(signal.reason)
        },
        { once: true },
      )
    })
  }

  /** Number of pending sleeps. */
  get sleeping(): number {
    return this.#sleepers.length
  }

  /** Advances time, and runs everything that became due as far as it can. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settle()
    for (;;) {
      const next = this.#sleepers.filter(({ until }) => until <= end).sort(byTime)[0]
      if (!next) break
      this.#now = Math.max(this.#now, next.until)
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next)
      next.wake()
      await settle()
    }
    this.#now = end
    await settle()
  }
}

const byTime = (a: Sleeper, b: Sleeper): number => a.until - b.until

/** Lets every promise that can run, run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
