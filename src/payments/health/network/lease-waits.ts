import type { Clock } from '../../../platform/core/time/clock.ts'

const HOUR_MS = 3_600_000
/** Only the last waits of a busy hour are kept; enough for a steady 95th percentile. */
const MAX_WAITS = 2_048

/** How long settlements of this process waited for a channel within the last hour. */
export class LeaseWaits {
  readonly #clock: Clock
  /** A ring buffer once it is full. */
  readonly #waits: { readonly at: number; readonly ms: number }[] = []
  #next = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(ms: number): void {
    this.#waits[this.#next] = { at: this.#clock.now(), ms }
    this.#next = (this.#next + 1) % MAX_WAITS
  }

  /** 95th percentile in milliseconds; undefined without waits. */
  p95(): number | undefined {
    const since = this.#clock.now() - HOUR_MS
    const waits = this.#waits.filter(({ at }) => at > since).map(({ ms }) => ms)
    waits.sort((a, b) => a - b)
    return waits[Math.ceil(waits.length * 0.95) - 1]
  }
}
