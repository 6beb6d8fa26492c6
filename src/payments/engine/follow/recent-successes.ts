import { LruMap } from '../../../platform/core/language/lru-map.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { StoreUnavailable } from '../../../platform/database/postgres/unavailable.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import { settlementId } from '../../store/settlements/settlement.ts'
import type { Restored, SucceededSettlement } from '../../store/settlements/transitions/restore.ts'

/** Some 4 KB each. A standby that is promoted lacks the commits of seconds at most. */
const MAX_REMEMBERED = 2_000
const REMEMBERED_MS = 600_000

interface Remembered {
  readonly settlement: SucceededSettlement
  readonly at: number
}

export interface RecentSuccessesOptions {
  /** Returns another text after another server has taken over, or the same one has started again. */
  readonly serverStart: () => Promise<string>
  /** Stores a settlement again if the store lacks it. */
  readonly restore: (settlement: SucceededSettlement) => Promise<Restored>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

/**
 * The settlements that this process finished last. When the database is served by another server than before, which may be
 * a standby that lacks the last commits, those that it lacks are stored again: then a repeat gets the first answer.
 */
export class RecentSuccesses {
  readonly #options: RecentSuccessesOptions
  readonly #remembered = new LruMap<string, Remembered>(MAX_REMEMBERED)
  /** Settlements in whose place a repeat has recorded another envelope, which has not ended: it will fail. */
  readonly #replaced = new LruMap<string, Remembered>(MAX_REMEMBERED)
  #start: string | undefined
  #round: Promise<void> | undefined

  constructor(options: RecentSuccessesOptions) {
    this.#options = options
  }

  remember(settlement: SucceededSettlement): void {
    const at = this.#options.clock.now()
    this.#remembered.set(settlementId(settlement.key), { settlement, at })
  }

  /**
   * Stores again what the store lacks, when its server is another one than at the last round. One round runs at a time: every
   * repeat of a payment may call this. Each caller reads the server itself: the round that it waits for may be of another
   * one, and then another round follows.
   */
  async restoreLost(): Promise<void> {
    const start = await this.#options.serverStart()
    this.#start ??= start
    while (this.#start !== start) {
      if (this.#round === undefined) return this.#beginRound(start)
      // It may be of another server than the one that this caller has read.
      await this.#round
    }
    await this.#restoreEach(this.#replaced)
  }

  #beginRound(start: string): Promise<void> {
    this.#round = this.#restoreOn(start).finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  /** Stores a settlement again now, if the store lacks it, or once the envelope in its place has failed. */
  async restore(settlement: SucceededSettlement): Promise<Restored> {
    const { restore, clock, log } = this.#options
    const { key, recorded } = settlement
    const id = settlementId(key)
    const restored = await restore(settlement)
    if (restored === 'restored') {
      log.warn(
        { ...key, hash: recorded.txHash },
        'The store had lost this settlement: stored again',
      )
    }
    if (restored !== 'underway') this.#replaced.delete(id)
    else if (!this.#replaced.get(id)) this.#replaced.set(id, { settlement, at: clock.now() })
    return restored
  }

  async #restoreOn(start: string): Promise<void> {
    await this.#restoreEach(this.#remembered)
    // Only now: after an outage the next call begins again.
    this.#start = start
  }

  async #restoreEach(entries: LruMap<string, Remembered>): Promise<void> {
    const since = this.#options.clock.now() - REMEMBERED_MS
    for (const { settlement, at } of entries.values()) {
      if (at >= since) await this.#restoreOrLog(settlement)
    }
  }

  /** Throws only `StoreUnavailable`: a settlement that the store cannot take holds up no other. */
  async #restoreOrLog(settlement: SucceededSettlement): Promise<void> {
    try {
      await this.restore(settlement)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      const { key, recorded } = settlement
      this.#options.log.error(
        { ...key, hash: recorded.txHash, err: error },
        'The store may have lost this settlement, and could not store it again',
      )
    }
  }
}
