import { startBackgroundLoop } from '../../../platform/core/time/background-loop.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { AddHourCounts } from '../../store/hour-counts.ts'
import type { NetworkCounters } from './network-counters.ts'

export interface CounterWriterOptions {
  readonly counters: readonly NetworkCounters[]
  readonly addHourCounts: AddHourCounts
  readonly clock: Clock
  readonly everyMs: number
  readonly signal: AbortSignal
  readonly onError: (error: unknown) => void
}

/**
 * Adds the counters of the networks to the store, where all replicas read them. Counts of a failed write
 * are written with the next one. When the store wrote them but its answer was lost, they count twice.
 */
export class CounterWriter {
  readonly #options: CounterWriterOptions

  constructor(options: CounterWriterOptions) {
    this.#options = options
  }

  /** Writes in the background until the signal aborts. */
  start(): void {
    const { clock, everyMs, signal, onError } = this.#options
    const run = () => this.#write()
    startBackgroundLoop({ run, pauseMs: everyMs, clock, onError, signal, first: 'pause' })
  }

  /** Writes once; never rejects. */
  write(): Promise<void> {
    return this.#write().catch(this.#options.onError)
  }

  async #write(): Promise<void> {
    const { counters, addHourCounts } = this.#options
    const drained = counters.map((counter) => ({ counter, rows: counter.drain() }))
    try {
      await addHourCounts(drained.flatMap(({ rows }) => rows))
    } catch (error) {
      for (const { counter, rows } of drained) {
        for (const { kind, count } of rows) counter.count(kind, count)
      }
      throw error
    }
  }
}
