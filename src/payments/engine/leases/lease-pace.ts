import type { Clock } from '../../../platform/core/time/clock.ts'

/** How fast waiting claims got channels lately, measured without a break in which none waited. */
export class LeasePace {
  readonly #clock: Pick<Clock, 'now'>
  #waitingSince: number | undefined
  #leases: { readonly at: number; readonly count: number }[] = []

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** The first claim waits. */
  start(): void {
    this.#waitingSince = this.#clock.now()
  }

  add(count: number): void {
    if (count > 0) this.#leases.push({ at: this.#clock.now(), count })
  }

  /** No claim waits any more. */
  stop(): void {
    this.#waitingSince = undefined
    this.#leases = []
  }

  /** Channels per second over the last `windowMs`; undefined until claims have waited for that long. */
  perSecond(windowMs: number): number | undefined {
    const from = this.#clock.now() - windowMs
    if (this.#waitingSince === undefined || this.#waitingSince > from) return undefined
    this.#leases = this.#leases.filter(({ at }) => at >= from)
    const leased = this.#leases.reduce((sum, { count }) => sum + count, 0)
    return leased / (windowMs / 1_000)
  }
}
