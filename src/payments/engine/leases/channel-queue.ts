import type { Clock } from '../../../platform/core/time/clock.ts'
import type { LeaseOutcome } from '../../store/settlements/claim/lease-channels.ts'
import { ClaimLine } from './claim-line.ts'
import { inFairOrder, type QueuedClaim } from './fair-order.ts'
import { LeasePace } from './lease-pace.ts'

/** Leases also this often: a notification may be lost with its connection. */
const RETRY_MS = 1_000
/**
 * Claims of one statement. Many channels become free at once when a ledger closes, and each round trip should
 * serve as many claims as possible; but each claim that gets none costs the statement some time as well.
 */
const MAX_CLAIMS = 100

export interface ChannelQueueOptions {
  readonly clock: Clock
  /** A claim waits at most this long. */
  readonly waitMs: number
  /** Leases for as many of the claims as there are free channels for; one outcome for each, in their order. */
  readonly lease: (claims: readonly QueuedClaim[]) => Promise<readonly LeaseOutcome[]>
  /** Ends all waits. */
  readonly signal: AbortSignal
}

/** A claim that is held back waits on. */
export type WaitOutcome = Exclude<LeaseOutcome, { readonly kind: 'kept' }>

interface Waiter {
  readonly claim: QueuedClaim
  /** Ms since the Unix epoch. */
  readonly until: number
  readonly resolve: (outcome: WaitOutcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * The claims of this process that wait for a channel. Whenever one is freed, and every `RETRY_MS`, one
 * statement leases for all of them in turn; only one runs at a time. `leaseChannels` gives each free
 * channel to the payer that holds the fewest. While more claims wait than one statement takes, `inFairOrder`
 * chooses which ones it gets. While only kept channels are free, each new claim needs a statement: its payer may hold few.
 */
export class ChannelQueue {
  readonly pace: LeasePace
  /** The claims that wait, and those that `ChannelAdmission` expects. */
  readonly line = new ClaimLine()
  readonly #options: ChannelQueueOptions
  readonly #waiters = new Set<Waiter>()
  #isServing = false
  #wasFreed = false
  #hasNewClaim = false
  /** The last statement left a channel free that is kept for payers that hold few. */
  #keepsOne = false
  #wake: (() => void) | undefined

  constructor(options: ChannelQueueOptions) {
    this.#options = options
    this.pace = new LeasePace(options.clock)
  }

  /** How many claims wait. */
  get length(): number {
    return this.#waiters.size
  }

  /** Call when a channel was freed, by this or another replica. */
  freed(): void {
    this.#wasFreed = true
    this.#wake?.()
  }

  /** Resolves with `none_free` when no channel became free in time. Rejects when the store cannot lease. */
  wait(claim: QueuedClaim): Promise<WaitOutcome> {
    const { clock, waitMs } = this.#options
    const { promise, resolve, reject } = Promise.withResolvers<WaitOutcome>()
    this.#waiters.add({ claim, until: clock.now() + waitMs, resolve, reject })
    this.line.add(claim.key.payer)
    this.#hasNewClaim = true
    if (!this.#isServing) void this.#serve()
    // While claims wait, no channel is free that is not kept: then a new one needs no attempt before the next is freed.
    else if (this.#keepsOne) this.#wake?.()
    return promise.finally(() => this.line.remove(claim.key.payer))
  }

  async #serve(): Promise<void> {
    this.#isServing = true
    this.pace.start()
    try {
      while (this.#waiters.size > 0) await this.#round()
    } catch (error) {
      for (const { reject } of this.#waiters) reject(error)
      this.#waiters.clear()
    }
    this.pace.stop()
    this.#isServing = false
  }

  /** Throws the signal's reason. */
  async #round(): Promise<void> {
    this.#options.signal.throwIfAborted()
    this.#wasFreed = false
    this.#hasNewClaim = false
    this.#dismissLate()
    const waiters = [...this.#waiters]
    const turn = waiters.length > MAX_CLAIMS ? inFairOrder(waiters).slice(0, MAX_CLAIMS) : waiters
    if (turn.length === 0) return
    const isEachServed = await this.#leaseFor(turn)
    // When each got a channel, more may be free.
    const isDue = isEachServed || this.#wasFreed || (this.#keepsOne && this.#hasNewClaim)
    if (!isDue) await this.#pause()
  }

  /** A claim in a statement leaves only with its outcome: it might have got a channel, which would stay leased. */
  async #leaseFor(turn: readonly Waiter[]): Promise<boolean> {
    const outcomes = await this.#outcomesOf(turn)
    this.#keepsOne = outcomes.some(({ kind }) => kind === 'kept')
    let isEachServed = true
    let leased = 0
    turn.forEach((waiter, index) => {
      const outcome = outcomes[index]
      if (outcome?.kind === 'none_free' || outcome?.kind === 'kept') {
        isEachServed = false
        return
      }
      this.#waiters.delete(waiter)
      if (outcome) waiter.resolve(outcome)
      if (outcome?.kind === 'leased') leased += 1
    })
    this.pace.add(leased)
    return isEachServed
  }

  /** None when the statement failed: then each of the claims is rejected. */
  async #outcomesOf(turn: readonly Waiter[]): Promise<readonly LeaseOutcome[]> {
    try {
      return await this.#options.lease(turn.map(({ claim }) => claim))
    } catch (error) {
      for (const { reject } of turn) reject(error)
      return []
    }
  }

  #dismissLate(): void {
    const now = this.#options.clock.now()
    for (const waiter of this.#waiters) {
      if (waiter.until > now) continue
      this.#waiters.delete(waiter)
      waiter.resolve({ kind: 'none_free' })
    }
  }

  /** Waits until a channel is freed, the next claim is late, or it is time for a retry. */
  async #pause(): Promise<void> {
    const { clock, signal } = this.#options
    const freed = Promise.withResolvers<void>()
    this.#wake = freed.resolve
    const now = clock.now()
    let pauseMs = RETRY_MS
    // A claim may have become late while the store answered.
    for (const { until } of this.#waiters) pauseMs = Math.max(0, Math.min(pauseMs, until - now))
    const stopWaiting = new AbortController()
    const pause = clock.sleep(pauseMs, AbortSignal.any([signal, stopWaiting.signal]))
    await Promise.race([freed.promise, pause]).finally(() => {
      this.#wake = undefined
      stopWaiting.abort()
      pause.catch(() => undefined)
    })
  }
}
