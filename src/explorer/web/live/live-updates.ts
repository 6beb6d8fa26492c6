import type { Clock } from '../../../core/clock.ts'
import type { ExplorerReads } from '../../reads.ts'

export interface LiveUpdatesOptions {
  readonly reads: Pick<ExplorerReads, 'newPayments'>
  readonly clock: Clock
  /** Logs an error of a read; the next poll tries again. */
  readonly onError: (error: unknown) => void
}

/** Sends new payments to the browsers that show a feed. Disposal ends every connection and takes no new one. */
export class LiveUpdates implements AsyncDisposable {
  readonly #options: LiveUpdatesOptions

  constructor(options: LiveUpdatesOptions) {
    this.#options = options
  }

  /** New payments were written by this process: reads at once, without waiting for the next poll. */
  wake(): void {
    void this.#options
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
