import type { Clock } from '../../../platform/core/time/clock.ts'
import type { IngestTimings } from '../timings.ts'

/** A fall of more ledgers below the highest one seen is a reset as the interface describes it. */
const FALL_LEDGERS = 100

/** Believes in a reset only when every answer has shown it for a while: one endpoint that lies must not end an epoch. */
export class ResetWatch {
  readonly #clock: Pick<Clock, 'now'>
  readonly #timings: Pick<IngestTimings, 'confirmResetMs' | 'confirmSmallResetMs'>
  #since: number | undefined

  constructor(
    clock: Pick<Clock, 'now'>,
    timings: Pick<IngestTimings, 'confirmResetMs' | 'confirmSmallResetMs'>,
  ) {
    this.#clock = clock
    this.#timings = timings
  }

  /** An answer that shows the known history. */
  clear(): void {
    this.#since = undefined
  }

  /** An answer that shows a reset; true when it is believed. */
  suspect(fallLedgers: number): boolean {
    this.#since ??= this.#clock.now()
    const { confirmResetMs, confirmSmallResetMs } = this.#timings
    const confirmMs = fallLedgers > FALL_LEDGERS ? confirmResetMs : confirmSmallResetMs
    return this.#clock.now() - this.#since >= confirmMs
  }
}
