import type { Diagnostic } from '../soroban/diagnostics.ts'
import { refundableFeeTooLow } from '../soroban/diagnostics.ts'

interface RefundableCosts {
  readonly rent: bigint
  readonly events: bigint
}

/**
 * The refundable part of a Soroban transaction's resource fee, which rent and events consume (CAP-46-07).
 * The fee source gets the rest back after the whole transaction set.
 */
export class RefundableFeeTracker {
  readonly nonRefundable: bigint
  readonly #limit: bigint
  #rent = 0n
  #events = 0n

  /** Stroops: the declared resource fee, and its non-refundable part. */
  constructor(declared: bigint, nonRefundable: bigint) {
    this.nonRefundable = nonRefundable
    this.#limit = declared - nonRefundable
  }

  /** The diagnostic when the declared fee is too low; the operation then fails. */
  consume({ rent, events }: RefundableCosts): Diagnostic | undefined {
    this.#rent += rent
    this.#events += events
    if (this.consumed <= this.#limit) return undefined
    return refundableFeeTooLow({ rent: this.#rent, events: this.#events, limit: this.#limit })
  }

  /** A failed transaction pays for neither rent nor events. */
  reset(): void {
    this.#rent = 0n
    this.#events = 0n
  }

  get rent(): bigint {
    return this.#rent
  }

  get consumed(): bigint {
    return this.#rent + this.#events
  }

  get refund(): bigint {
    return this.#limit - this.consumed
  }
}
