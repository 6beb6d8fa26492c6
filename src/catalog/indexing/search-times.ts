import type { Clock } from '../../platform/core/time/clock.ts'

const WINDOW_MS = 5 * 60_000
const MAX_KEPT = 5_000

/** How long the searches of the last five minutes took; of very many, the newest 5,000. */
export class SearchTimes {
  readonly #clock: Pick<Clock, 'now'>
  #times: { readonly at: number; readonly ms: number }[] = []

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  add(ms: number): void {
    this.#times.push({ at: this.#clock.now(), ms })
    if (this.#times.length > 2 * MAX_KEPT) this.#times = this.#times.slice(-MAX_KEPT)
  }

  /** Nearest-rank percentiles in milliseconds; null without a search. */
  percentiles(): { readonly p50Ms: number | null; readonly p95Ms: number | null } {
    const since = this.#clock.now() - WINDOW_MS
    this.#times = this.#times.slice(-MAX_KEPT).filter(({ at }) => at >= since)
    const sorted = Float64Array.from(this.#times, ({ ms }) => ms).sort()
    const rank = (share: number): number | null =>
      sorted.length === 0 ? null : (sorted[Math.ceil(share * sorted.length) - 1] as number)
    return { p50Ms: rank(0.5), p95Ms: rank(0.95) }
  }
}
