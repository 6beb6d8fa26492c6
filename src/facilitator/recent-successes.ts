import type { Clock } from '../core/clock.ts'
import { LruMap } from '../core/lru-map.ts'
import type { Store } from '../store/open.ts'
import { serverStart } from '../store/server-facts.ts'
import { restoreSucceeded, type SucceededSettlement } from '../store/settlements/restore.ts'
import { settlementId } from '../store/settlements/settlement.ts'

/** Some 4 KB each. A standby that is promoted lacks the commits of seconds at most. */
const MAX_REMEMBERED = 2_000
const REMEMBERED_MS = 600_000

interface Remembered {
  readonly settlement: SucceededSettlement
  readonly at: number
}

/**
 * The settlements that this process finished last. When the database is served by another server than before, which may be
 * a standby that lacks the last commits, those that it lacks are stored again: then a repeat gets the first answer.
 */
export class RecentSuccesses {
  readonly #store: Store
  readonly #clock: Pick<Clock, 'now'>
  readonly #remembered = new LruMap<string, Remembered>(MAX_REMEMBERED)
  #start: string | undefined

  constructor({ store, clock }: { readonly store: Store; readonly clock: Pick<Clock, 'now'> }) {
    this.#store = store
    this.#clock = clock
  }

  remember(settlement: SucceededSettlement): void {
    this.#remembered.set(settlementId(settlement.key), { settlement, at: this.#clock.now() })
  }

  /** Stores again what the store lacks, when its server is another one than at the last call. Returns what it has restored. */
  async restoreLost(): Promise<readonly SucceededSettlement[]> {
    const { db } = this.#store
    const start = await serverStart(db)
    const isSame = this.#start === undefined || start === this.#start
    if (isSame) {
      this.#start = start
      return []
    }
    const since = this.#clock.now() - REMEMBERED_MS
    const restored: SucceededSettlement[] = []
    for (const { settlement, at } of this.#remembered.values()) {
      if (at >= since && (await restoreSucceeded(db, settlement))) restored.push(settlement)
    }
    // Only now: after a failure the next call begins again.
    this.#start = start
    return restored
  }
}
