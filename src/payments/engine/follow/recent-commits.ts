import { LruMap } from '../../../platform/core/language/lru-map.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import { StoreUnavailable } from '../../../platform/database/postgres/unavailable.ts'
import type { Logger } from '../../../platform/telemetry/logs/logger.ts'
import type { IdentifiedPayment } from '../../store/settlements/claim/identifiers.ts'
import { settlementId } from '../../store/settlements/settlement.ts'
import type { Restored, SucceededSettlement } from '../../store/settlements/transitions/restore.ts'

/** Some 4 KB each. A standby that is promoted lacks the commits of seconds at most. */
const MAX_REMEMBERED = 2_000
const REMEMBERED_MS = 600_000

interface Remembered<T> {
  readonly committed: T
  readonly at: number
}

type RememberedBy<T> = LruMap<string, Remembered<T>>

export interface RecentCommitsOptions {
  /** Returns another text after another server has taken over, or the same one has started again. */
  readonly serverStart: () => Promise<string>
  /** Stores a settlement again if the store lacks it. */
  readonly restore: (settlement: SucceededSettlement) => Promise<Restored>
  /** Binds ids again that the store lacks; returns how many rows it lacked. */
  readonly bind: (payments: readonly IdentifiedPayment[]) => Promise<number>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

/**
 * The settlements that this process finished last, and the ids of the payments that it claimed last. When the database is served by another
 * server than before, which may be a standby that lacks the last commits, those that it lacks are stored again: then a repeat gets the first
 * answer, and an id stays with its payload, whether its payment has ended or not.
 */
export class RecentCommits {
  readonly #options: RecentCommitsOptions
  readonly #identified: RememberedBy<IdentifiedPayment> = new LruMap(MAX_REMEMBERED)
  readonly #succeeded: RememberedBy<SucceededSettlement> = new LruMap(MAX_REMEMBERED)
  /** Settlements in whose place a repeat has recorded another envelope, which has not ended: it will fail. */
  readonly #replaced: RememberedBy<SucceededSettlement> = new LruMap(MAX_REMEMBERED)
  #start: string | undefined
  #round: Promise<void> | undefined

  constructor(options: RecentCommitsOptions) {
    this.#options = options
  }

  rememberSuccess(settlement: SucceededSettlement): void {
    const at = this.#options.clock.now()
    this.#succeeded.set(settlementId(settlement.key), { committed: settlement, at })
  }

  rememberIdentifier(payment: IdentifiedPayment): void {
    const at = this.#options.clock.now()
    this.#identified.set(payment.identifier.payloadHash, { committed: payment, at })
  }

  /**
   * Stores again what the store lacks, when its server is another one than at the last round. One round runs at a time: every
   * repeat of a payment, and every payment with an id, may call this. Each caller reads the server itself: the round that it waits for may be of another
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
    else if (!this.#replaced.get(id))
      this.#replaced.set(id, { committed: settlement, at: clock.now() })
    return restored
  }

  async #restoreOn(start: string): Promise<void> {
    // Before the settlements, which take longer: without its id another payload could be paid.
    await this.#bindIdentifiers()
    await this.#restoreEach(this.#succeeded)
    // Only now: after an outage the next call begins again.
    this.#start = start
  }

  /** Throws only `StoreUnavailable`. */
  async #bindIdentifiers(): Promise<void> {
    const { bind, log } = this.#options
    try {
      const count = await bind(this.#recent(this.#identified))
      if (count > 0) log.warn({ count }, 'The store had lost ids of payments: stored again')
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      log.error(
        { err: error },
        'The store may have lost ids of payments, and could not store them again',
      )
    }
  }

  async #restoreEach(entries: RememberedBy<SucceededSettlement>): Promise<void> {
    for (const settlement of this.#recent(entries)) await this.#restoreOrLog(settlement)
  }

  #recent<T>(entries: RememberedBy<T>): readonly T[] {
    const since = this.#options.clock.now() - REMEMBERED_MS
    return [...entries.values()].flatMap(({ committed, at }) => (at >= since ? [committed] : []))
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
