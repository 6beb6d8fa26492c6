const MINUTE_MS = 60_000
const MINUTES = 60

/** Counts the events of the last hour, to the minute, in constant memory. */
export class LastHourCounter {
  /** Events by minute since the epoch; at most 60 entries. */
  readonly #byMinute = new Map<number, number>()

  add(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS)
    this.#byMinute.set(minute, (this.#byMinute.get(minute) ?? 0) + 1)
    for (const old of this.#byMinute.keys()) {
      if (old <= minute - MINUTES) this.#byMinute.delete(old)
    }
  }

  count(nowMs: number): number {
    const oldest = Math.floor(nowMs / MINUTE_MS) - MINUTES
    let total = 0
    for (const [minute, events] of this.#byMinute) {
      if (minute > oldest) total += events
    }
    return total
  }
}
