import type { ClaimLine } from '../../leases/claim-line.ts'
import type { LeasePace } from '../../leases/lease-pace.ts'

export interface ChannelAdmissionOptions {
  /** The claims that wait for a channel. */
  readonly queue: {
    readonly length: number
    readonly line: ClaimLine
    readonly pace: Pick<LeasePace, 'perSecond'>
  }
  /** A settlement waits at most this long for a channel. */
  readonly waitMs: number
  /** Channels of the sponsor that can be in use at once. */
  readonly channels: () => number
  readonly secondsPerLedger: () => number
}

/** A payment with a quote, on its way to its claim. */
export interface Place extends Disposable {
  /** False when a new payment cannot expect a channel in time. */
  readonly isAdmitted: boolean
  /** Call when the payment is claimed or refused: from then on the queue counts it, if it waits. */
  leave(): void
}

/** No caller should wait longer before a retry, even when the pace is unknown or zero. */
const MAX_RETRY_AFTER_SECONDS = 60

/**
 * Decides, before a new payment is simulated and again when it has a quote, whether it can expect a channel within the
 * wait. A payment that gets no channel costs a simulation and two statements, only to be refused five seconds later.
 *
 * The line: the claims in the queue of this process, and the payments with a quote on their way there. A payment that is
 * being simulated is not in it: anyone can send any number that their simulations refuse. Only those count that get a
 * channel before the payment, so that one payer with a long line keeps no other out. While no claim waits,
 * channels may be free: then as many payments as there are channels are admitted beyond the longest line.
 */
export class ChannelAdmission {
  readonly #options: ChannelAdmissionOptions

  constructor(options: ChannelAdmissionOptions) {
    this.#options = options
  }

  /** Whether a payment of the payer with a quote would be admitted now. */
  isOpenFor(payer: string): boolean {
    return this.#excessOf(this.#options.queue.line.before(payer)) < 0
  }

  /** Call with a quote. The caller disposes of the place, admitted or not. */
  enter(payer: string): Place {
    const { line } = this.#options.queue
    const isAdmitted = this.isOpenFor(payer)
    let isCounted = isAdmitted
    if (isAdmitted) line.add(payer)
    const leave = () => {
      if (isCounted) line.remove(payer)
      isCounted = false
    }
    return { isAdmitted, leave, [Symbol.dispose]: leave }
  }

  /** Seconds until the whole line is short enough for one more, by its present pace; at least 1. */
  get retryAfterSeconds(): number {
    const { waitMs, queue } = this.#options
    const perSecond = this.#served / (waitMs / 1_000)
    const seconds = Math.ceil((this.#excessOf(queue.line.length) + 1) / perSecond)
    return Math.min(Math.max(seconds, 1), MAX_RETRY_AFTER_SECONDS)
  }

  /**
   * By how many a line exceeds the claims that get a channel within the wait. Below 0 the payment behind it is
   * admitted.
   */
  #excessOf(line: number): number {
    const expectsFree = this.#options.queue.length === 0 ? this.#channels : 0
    return line - expectsFree - this.#served
  }

  /**
   * How many waiting claims get a channel within the wait: by the pace of the last two ledgers, which
   * includes the effect of full ledgers and other replicas. Until claims have waited for that long, each channel is expected to be
   * freed once a ledger, and at least once.
   */
  get #served(): number {
    const { queue, waitMs, secondsPerLedger } = this.#options
    const ledgerMs = secondsPerLedger() * 1_000
    const perSecond = queue.pace.perSecond(Math.max(waitMs, 2 * ledgerMs))
    if (perSecond !== undefined) return perSecond * (waitMs / 1_000)
    return this.#channels * Math.max(1, waitMs / ledgerMs)
  }

  /** The list of channels is as old as the last poll: one may have been created since. */
  get #channels(): number {
    return Math.max(this.#options.channels(), 1)
  }
}
