import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import type { KubeClient } from '../client/client.ts'
import { isKubeError } from '../client/kube-error.ts'
import type { Logger } from '../logger.ts'
import { type KubeMetrics, noKubeMetrics } from '../metrics/metrics.ts'
import type { ObjectName } from '../objects/resource.ts'
import { type HeldLease, LeaseKeeper } from './lease-keeper.ts'

export interface ElectorOptions {
  /** A client of its own: a renewal must not wait for the sockets or the rate limit of other requests. */
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>
  readonly lease: ObjectName
  /** Unique for each process, such as the pod's name and a random suffix. */
  readonly identity: string
  readonly clock: SteadyClock
  readonly random: () => number
  readonly logger: Logger
  readonly metrics?: KubeMetrics
  /** A lease that is not renewed ends after this time. @default 30 s */
  readonly durationMs?: number
  /** The holder gives up after renewals failed for this long. Less than `durationMs`. @default 20 s */
  readonly renewDeadlineMs?: number
  /** Between two renewals. @default 4 s */
  readonly renewMs?: number
  /**
   * Between two reads of the lease by a follower, plus up to a fifth. @default 2 s, so that a follower
   * takes over less than 3 s after the leader released the lease
   */
  readonly pollMs?: number
}

/** One period in which this process leads. */
export interface Term {
  /** The `leaseTransitions` of the lease: higher in each term than in all before. A fence for writes to a store. */
  readonly epoch: number
  /** Uid of the lease: when a lease is deleted and created again, its epochs start at 1. */
  readonly leaseUid: string
  /** Aborts when the lease is lost, and only then. */
  readonly signal: AbortSignal
  /**
   * Monotonic time until which no other process can lead, counted from before the last renewal was sent.
   * Work that must not overlap with a successor has to end by then. In the past once the term is over.
   */
  validUntil(): number
}

/** After `lost` another process may already change what this one holds in memory: start again from nothing, or exit. */
export type ElectionEnd = 'stopped' | 'lost'

interface ElectionRun {
  /** Stops a follower at once. A leader's `lead` has to return first. */
  readonly stop: AbortSignal
  /** Runs while this process leads. The lease is kept until it returns, and then released. */
  readonly lead: (term: Term) => Promise<void>
}

export interface Elector {
  /** False when a leader has not renewed until 20 s after its lease ended: it hangs and should be killed. */
  isHealthy(): boolean
  isLeading(): boolean
  /**
   * Waits for the lease, leads once, and ends. After the lease is lost it resolves within 2 s, even when
   * `lead` has not returned. Rejects with the error of `lead`. May be called again after it has ended: the next term begins
   * when the `lead` of the last one has returned. Throws a TypeError while it runs.
   */
  run(run: ElectionRun): Promise<ElectionEnd>
}

/** How long `lead` may run on after the lease is lost. */
const LOST_GRACE_MS = 2_000
/** After the end of its lease a leader that has not noticed counts as hanging. */
const HANGING_MS = 20_000

export function createElector(options: ElectorOptions): Elector {
  return new LeaseElector(options)
}

class LeaseElector implements Elector {
  readonly #options: ElectorOptions
  readonly #keeper: LeaseKeeper
  readonly #metrics: KubeMetrics
  #held: HeldLease | undefined
  #isRunning = false
  /** Resolves when the `lead` of the last term has returned. */
  #idle: Promise<void> = Promise.resolve()

  constructor(options: ElectorOptions) {
    this.#options = options
    this.#keeper = new LeaseKeeper(options)
    this.#metrics = options.metrics ?? noKubeMetrics
    this.#metrics.leader.set(this.#label, 0)
  }

  isLeading(): boolean {
    return this.#held !== undefined
  }

  isHealthy(): boolean {
    return !this.#held || this.#options.clock.monotonic() < this.#held.validUntil + HANGING_MS
  }

  async run(run: ElectionRun): Promise<ElectionEnd> {
    if (this.#isRunning) throw new TypeError('the elector runs already')
    this.#isRunning = true
    try {
      await untilEither(this.#idle, run.stop)
      return await this.#waitAndLead(run)
    } finally {
      this.#isRunning = false
    }
  }

  async #waitAndLead({ stop, lead }: ElectionRun): Promise<ElectionEnd> {
    const { clock, random, pollMs = 2_000 } = this.#options
    while (!stop.aborted) {
      const held = await this.#tryTake(stop)
      if (held) return this.#lead(held, lead)
      await clock.sleep(pollMs * (1 + 0.2 * random()), stop).catch(() => undefined)
    }
    return 'stopped'
  }

  async #tryTake(stop: AbortSignal): Promise<HeldLease | undefined> {
    try {
      return await this.#keeper.take(stop)
    } catch (error) {
      if (!stop.aborted) this.#options.logger.warn({ err: error }, 'Could not read the lease')
      return undefined
    }
  }

  async #lead(held: HeldLease, lead: ElectionRun['lead']): Promise<ElectionEnd> {
    this.#setHeld(held)
    const { logger, clock } = this.#options
    const { epoch, uid: leaseUid } = held
    logger.info({ epoch }, 'Leading')
    const [lost, over] = [new AbortController(), new AbortController()]
    const validUntil = () => this.#held?.validUntil ?? Number.NEGATIVE_INFINITY
    const work = lead({ epoch, leaseUid, signal: lost.signal, validUntil })
    this.#idle = work.catch(() => undefined)
    const renewing = this.#renew(held, over.signal)
    try {
      const end = await Promise.race([work.then(() => 'stopped' as const), renewing])
      if (end === 'stopped') return end
      this.#setHeld(undefined)
      logger.error({ epoch }, 'Lost the lease')
      lost.abort(new Error('the lease is lost'))
      await Promise.race([work, clock.sleep(LOST_GRACE_MS)]).catch(() => undefined)
      return 'lost'
    } finally {
      over.abort()
      await renewing
      if (this.#held) await this.#release()
    }
  }

  /** Resolves with `lost` as soon as the lease is lost, or with `stopped` after the term. */
  async #renew(held: HeldLease, over: AbortSignal): Promise<ElectionEnd> {
    const { clock, renewMs = 4_000, logger } = this.#options
    let triedAt = clock.monotonic()
    for (let last = held; ; ) {
      // Counted from the start of the last attempt: after one that hung the next follows at once.
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
    this.#setHeld(undefined)
    try {
      await this.#keeper.release()
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'Could not release the lease')
    }
  }

  #setHeld(held: HeldLease | undefined): void {
    this.#held = held
    this.#metrics.leader.set(this.#label, held ? 1 : 0)
    this.#metrics.leaseTransitions.inc(this.#label)
  }

  get #label(): { readonly name: string } {
    return { name: this.#options.lease.name }
  }
}

/** Resolves with the promise or when the signal aborts. */
async function untilEither(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  const stop = () => resolve()
  signal.addEventListener('abort', stop, { once: true })
  await Promise.race([promise, aborted])
  signal.removeEventListener('abort', stop)
}
