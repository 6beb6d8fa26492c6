import { startBackgroundLoop } from '../../platform/core/time/background-loop.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { Store } from '../../platform/database/open.ts'
import { countOutcomes } from '../store/outcome-counts.ts'
import type { OutcomeStatus } from '../store/tables.ts'

export interface VerifyCountsOptions {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  /** Names this process in the store. */
  readonly writer: string
  readonly onError: (error: unknown) => void
}

/** The same interval as for the facilitator's other counts: a verification waits for no statement of its own. */
const WRITE_EVERY_MS = 5_000

/**
 * Counts previews in memory and adds them to the store, where /health of all replicas reads them. Counts of a failed
 * write are written with the next one; disposal writes the last.
 */
export class VerifyCounts implements AsyncDisposable {
  readonly #options: VerifyCountsOptions
  readonly #counts = new Map<OutcomeStatus, number>()
  readonly #loop: AsyncDisposable

  constructor(options: VerifyCountsOptions) {
    this.#options = options
    const { clock, onError } = options
    const run = () => this.#write()
    this.#loop = startBackgroundLoop({
      run,
      pauseMs: WRITE_EVERY_MS,
      clock,
      onError,
      first: 'pause',
    })
  }

  count(status: OutcomeStatus, times = 1): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + times)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]()
    await this.#write().catch(this.#options.onError)
  }

  async #write(): Promise<void> {
    const counts = [...this.#counts].map(([status, count]) => ({
      phase: 'verify' as const,
      status,
      count,
    }))
    this.#counts.clear()
    try {
      await countOutcomes(this.#options.store.db, this.#options.writer, counts)
    } catch (error) {
      for (const { status, count } of counts) this.count(status, count)
      throw error
    }
  }
}
