import { type CatalogStats, readCatalogStats } from '../../../catalog/store/discovery/stats.ts'
import type { CatalogFacts } from '../../../diagnosis/facts/facts.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { PolledValue } from '../network/polled-value.ts'

/** Everything known about the catalog at one moment. */
export interface PolledCatalog extends CatalogFacts {
  readonly stats: CatalogStats | undefined
}

export interface CatalogPollerOptions {
  readonly db: Db
  readonly clock: Clock
  readonly readWithinMs: number
  readonly onError: (error: unknown) => void
}

/** Reads what `/health` reports of the catalog: what the store knows, which is of all replicas. */
export class CatalogPoller {
  readonly #clock: Clock
  readonly #stats: PolledValue<CatalogStats>
  #searchedAt: number

  constructor({ db, clock, readWithinMs: withinMs, onError }: CatalogPollerOptions) {
    this.#clock = clock
    this.#searchedAt = clock.now()
    this.#stats = new PolledValue({ read: () => readCatalogStats(db), clock, withinMs, onError })
  }

  async refresh(stop: AbortSignal): Promise<void> {
    await this.#stats.refresh(stop)
    // While the store cannot be read it is unknown whether something searches.
    const builds = this.#stats.misses === 0 ? this.#stats.latest?.value.builds : undefined
    if (!builds || builds.length > 0) this.#searchedAt = this.#clock.now()
  }

  /** The facts from the values read last. */
  get facts(): PolledCatalog {
    return {
      misses: this.#stats.misses,
      stats: this.#stats.latest?.value,
      unsearchedMs: this.#clock.now() - this.#searchedAt,
    }
  }
}
