import type { SteadyClock } from '../../../platform/core/time/clock.ts'

/** After each turn, a pause this many times as long: together they use a quarter of a processor, here and in the database. */
const REST = 3
/** A turn takes long where others need the processor; a rest then need not. */
const MAX_REST_MS = 250

/** Runs work one piece at a time, with a rest after each. */
export class Turns {
  readonly #clock: SteadyClock
  #last: Promise<unknown> = Promise.resolve()

  constructor(clock: SteadyClock) {
    this.#clock = clock
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      const startedAt = this.#clock.monotonic()
      const result = await work()
      const tookMs = this.#clock.monotonic() - startedAt
      return { result, rest: this.#clock.sleep(Math.min(MAX_REST_MS, REST * tookMs)) }
    })
    this.#last = turn.then(({ rest }) => rest).catch(() => undefined)
    return turn.then(({ result }) => result)
  }
}
