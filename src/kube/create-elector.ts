import { isKubeError } from './kube-error.ts'
import type { ElectionEnd, ElectionRun, Elector, ElectorOptions } from './leader.ts'
import { createLeaseKeeper, type Held, type LeaseKeeper } from './lease-keeper.ts'
import { type KubeMetrics, noKubeMetrics } from './metrics.ts'

/** What a process that lost its lease gets to end in, and what a hanging leader gets on top of its lease. */
const lossMs = 2_000
const hangingMs = 20_000

export function createElector(options: ElectorOptions): Elector {
  return new LeaseElector(options, createLeaseKeeper(options))
}

class LeaseElector implements Elector {
  readonly #options: ElectorOptions
  readonly #keeper: LeaseKeeper
  readonly #metrics: KubeMetrics
  #held: Held | undefined

  constructor(options: ElectorOptions, keeper: LeaseKeeper) {
    this.#options = options
    this.#keeper = keeper
    this.#metrics = options.metrics ?? noKubeMetrics
    this.#metrics.leader.set(this.#label, 0)
  }

  isLeading(): boolean {
    return this.#held !== undefined
  }

  isHealthy(): boolean {
    return !this.#held || this.#options.clock.monotonic() < this.#held.validUntil + hangingMs
  }

  async run({ stop, lead }: ElectionRun): Promise<ElectionEnd> {
    const { clock, random, lookMs = 2_000 } = this.#options
    while (!stop.aborted) {
      const held = await this.#tryTake(stop)
      if (held) return this.#lead(held, lead)
      await clock.sleep(lookMs * (1 + 0.2 * random()), stop).catch(() => undefined)
    }
    return 'stopped'
  }

  async #tryTake(stop: AbortSignal): Promise<Held | undefined> {
    try {
      return await this.#keeper.take(stop)
    } catch (error) {
      if (!stop.aborted) this.#options.logger.warn({ err: error }, 'Could not look at the lease')
      return undefined
    }
  }

  async #lead(held: Held, lead: ElectionRun['lead']): Promise<ElectionEnd> {
    this.#mark(held)
    const { logger, clock } = this.#options
    logger.info({ epoch: held.epoch }, 'Leads')
    const [lost, over] = [new AbortController(), new AbortController()]
    const validUntil = () => (this.#held ? this.#held.validUntil : Number.NEGATIVE_INFINITY)
    const { epoch, uid: leaseUid } = held
    const work = lead({ epoch, leaseUid, signal: lost.signal, validUntil })
    const renewing = this.#renew(held, over.signal)
    try {
      const end = await Promise.race([work.then(() => 'stopped' as const), renewing])
      if (end === 'stopped') return end
      this.#mark(undefined)
      logger.error({ epoch: held.epoch }, 'Lost the lease')
      lost.abort(new Error('the lease is lost'))
      await Promise.race([work, clock.sleep(lossMs)]).catch(() => undefined)
      return 'lost'
    } finally {
      over.abort()
      await renewing
      if (this.#held) await this.#release()
    }
  }

  /** Resolves with `lost` as soon as it is, or after the term is over. */
  async #renew(held: Held, over: AbortSignal): Promise<ElectionEnd> {
    const { clock, renewMs = 4_000, logger } = this.#options
    let triedAt = clock.monotonic()
    for (let last = held; ; ) {
      // From try to try: a request that hung has waited enough, and the next one is all the more urgent.
      const dueAt = Math.min(triedAt + renewMs, last.renewBy)
      await clock.sleep(Math.max(0, dueAt - clock.monotonic()), over).catch(() => undefined)
      if (over.aborted) return 'stopped'
      triedAt = clock.monotonic()
      if (triedAt >= last.renewBy) return 'lost'
      try {
        last = await this.#keeper.renew(last, over)
        this.#held = last
      } catch (error) {
        if (over.aborted) return 'stopped'
        logger.warn({ err: error }, 'Could not renew the lease')
        if (isKubeError(error, 'conflict', 'notFound')) return 'lost'
      }
    }
  }

  async #release(): Promise<void> {
    this.#mark(undefined)
    try {
      await this.#keeper.release()
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'Could not release the lease')
    }
  }

  #mark(held: Held | undefined): void {
    this.#held = held
    this.#metrics.leader.set(this.#label, held ? 1 : 0)
    this.#metrics.leaseTransitions.inc(this.#label)
  }

  get #label(): { readonly name: string } {
    return { name: this.#options.lease.name }
  }
}
