import type { Clock } from '../../core/clock.ts'
import type { AddHourCounts } from '../../store/hour-counts.ts'
import type { NetworkTally } from './network-tally.ts'

export interface TallyWriterOptions {
  readonly tallies: readonly NetworkTally[]
  readonly addHourCounts: AddHourCounts
  readonly clock: Clock
  readonly everyMs: number
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/**
 * Writes to the store what the networks counted, so that all replicas know it. What the store did not
 * take is written with the next; if it took it and the answer got lost, it counts twice.
 */
export class TallyWriter {
  readonly #options: TallyWriterOptions

  constructor(options: TallyWriterOptions) {
    this.#options = options
  }

  /** Writes regularly, in the background, until the signal aborts. */
  start(): void {
    void this.#run()
  }

  async #run(): Promise<void> {
    const { clock, everyMs, signal } = this.#options
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal).catch(() => undefined)
      if (!signal.aborted) await this.write()
    }
  }

  /** Never throws. */
  async write(): Promise<void> {
    const { tallies, addHourCounts, onError } = this.#options
    const taken = tallies.map((tally) => ({ tally, rows: tally.take() }))
    try {
      await addHourCounts(taken.flatMap(({ rows }) => rows))
    } catch (error) {
      for (const { tally, rows } of taken) {
        for (const { kind, count } of rows) tally.count(kind, count)
      }
      onError(error)
    }
  }
}
