import type { Clock } from '../../platform/core/time/clock.ts'
import type { EntryStore } from '../ledger/entry-store.ts'
import type { LastClosedLedger } from '../ledger/header.ts'
import { BASE_RESERVE } from '../ledger/reserves.ts'
import type { LedgerContext } from '../soroban/ledger-context.ts'
import { decodeEnvelope, type Envelope } from '../transactions/envelope.ts'
import { minFee } from '../transactions/fees/fees.ts'
import type { NonRefundableFees } from '../transactions/fees/non-refundable-fees.ts'
import { applySurgePricing, type Selection } from '../transactions/set/surge-pricing.ts'
import { TransactionQueue } from '../transactions/set/transaction-queue.ts'
import { trimInvalid } from '../transactions/set/trim-invalid.ts'
import type { LedgerLimits } from '../transactions/soroban/ledger-resources.ts'
import { checkValid, type ValidationContext } from '../transactions/valid/check-valid.ts'
import { yieldToEventLoop } from './event-loop.ts'
import { errorOfEnvelope, errorResult, type SubmitResult } from './submit-result.ts'

/** stellar-core refuses a transaction that would expire within this many ledgers. */
const LEDGERS_TO_OUTLIVE = 2

interface HerderOptions {
  readonly store: EntryStore
  readonly clock: Clock
  readonly networkId: Uint8Array
  readonly limits: LedgerLimits
  readonly expectedCloseSeconds: number
  /** Least seconds from one close time to the next. */
  readonly minCloseTimeStep: number
  readonly fees: NonRefundableFees
  readonly lastClosed: () => LastClosedLedger
}

/** From the last closed ledger to the next one that closes. */
export interface LedgerStep {
  /** 1 unless those in between are left out. */
  readonly ledgers: number
  /** At least so much later. */
  readonly seconds: number
}

/** Accepts transactions and chooses those of the next ledger (stellar-core's Herder, without consensus). */
export class Herder {
  readonly #options: HerderOptions
  #queue: TransactionQueue

  constructor(options: HerderOptions) {
    this.#options = options
    this.#queue = new TransactionQueue(options.limits)
  }

  /** Forgets all pending transactions. */
  reset(): void {
    this.#queue = new TransactionQueue(this.#options.limits)
  }

  /** Throws when the bytes are not a TransactionEnvelope. */
  submit(envelopeXdr: Uint8Array): SubmitResult {
    const { networkId, store } = this.#options
    const envelope = decodeEnvelope(envelopeXdr, { networkId })
    const { hash } = envelope
    const answer = this.#queue.canAdd(envelope)
    if (answer.kind === 'duplicate') return { status: 'DUPLICATE', hash }
    if (answer.kind === 'tryAgainLater') return { status: 'TRY_AGAIN_LATER', hash }
    if (answer.kind === 'error') return errorOfEnvelope(envelope, answer.code, answer.feeCharged)
    const invalid = checkValid(envelope, this.#validationNow())
    if (invalid) return errorResult(envelope, invalid)
    if (!this.#queue.canPay(store, envelope)) {
      return errorOfEnvelope(envelope, 'txInsufficientBalance', minFee(envelope))
    }
    this.#queue.add(envelope)
    return { status: 'PENDING', hash }
  }

  get hasPending(): boolean {
    return this.#queue.envelopes.length > 0
  }

  /** The close time increases by `minCloseTimeStep` even if the clock stands still. */
  nextLedger({ ledgers, seconds }: LedgerStep = { ledgers: 1, seconds: 0 }): LedgerContext {
    const { networkId, minCloseTimeStep } = this.#options
    const { sequence, closeTime } = this.#options.lastClosed()
    return {
      sequence: sequence + ledgers,
      closeTime: Math.max(closeTime + Math.max(seconds, minCloseTimeStep), this.#now()),
      networkId,
      baseReserve: Number(BASE_RESERVE),
    }
  }

  /** The transactions of `ledger`. `endClosing` must follow, whether or not the ledger closes. */
  async beginClosing(ledger: LedgerContext): Promise<Selection> {
    const pending = this.#queue.beginClosing()
    const valid = await this.#trimInvalid(pending, this.#validationIn(ledger))
    await yieldToEventLoop()
    return applySurgePricing(valid, this.#options.limits)
  }

  /** `applied` is empty when the ledger did not close. */
  async endClosing(ledger: LedgerContext, applied: readonly Envelope[]): Promise<void> {
    this.#queue.endClosing(ledger.sequence, applied)
    await this.#trimInvalid(this.#queue.envelopes, this.#validationNow())
  }

  /** Returns the valid ones, and drops the others from the queue. */
  async #trimInvalid(
    envelopes: readonly Envelope[],
    context: ValidationContext,
  ): Promise<readonly Envelope[]> {
    const valid = await trimInvalid(envelopes, context)
    const kept = new Set(valid)
    for (const envelope of envelopes) if (!kept.has(envelope)) this.#queue.drop(envelope)
    return valid
  }

  /** For a new transaction: valid now and until the ledger that could include it. */
  #validationNow(): ValidationContext {
    const { closeTime } = this.#options.lastClosed()
    const drift = Math.max(0, this.#now() - closeTime)
    const offset = LEDGERS_TO_OUTLIVE * this.#options.expectedCloseSeconds + drift
    return {
      ...this.#validationIn(this.nextLedger()),
      lowerBoundCloseTime: BigInt(closeTime),
      upperBoundCloseTime: BigInt(closeTime + offset),
    }
  }

  #validationIn(ledger: LedgerContext): ValidationContext {
    const closeTime = BigInt(ledger.closeTime)
    return {
      reader: this.#options.store,
      ledger: ledger.sequence,
      lowerBoundCloseTime: closeTime,
      upperBoundCloseTime: closeTime,
      nonRefundableFee: (transaction) => this.#options.fees.of(transaction, ledger),
    }
  }

  #now(): number {
    return Math.floor(this.#options.clock.now() / 1000)
  }
}
