import type { Clock } from '../../platform/core/time/clock.ts'

const WINDOW_MS = 3_600_000
/** Limit of the events that are kept: beyond it, no more are counted. */
const MAX_KEPT = 10_000

/** Counts events of this process within the last hour. */
export class RecentCount {
  readonly #clock: Pick<Clock, 'now'>
  #times: number[] = []

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  add(): void {
    this.#times.push(this.#clock.now())
    if (this.#times.length > 2 * MAX_KEPT) this.#times = this.#times.slice(-MAX_KEPT)
  }

  /** @returns how many, at most 10,000 */
  within1h(): number {
    const since = this.#clock.now() - WINDOW_MS
    this.#times = this.#times.slice(-MAX_KEPT).filter((at) => at >= since)
    return this.#times.length
  }
}
