import type { Diagnostic } from './diagnostics.ts'
import { refundableFeeTooLow } from './diagnostics.ts'

interface RefundableCosts {
  readonly rent: bigint
  readonly events: bigint
}

/**
 * The part of a Soroban transaction's resource fee that is given back unless used up by rent and
 * events (CAP-46-07). What is left goes back to whoever paid, after the whole transaction set.
 */
export class RefundableFeeTracker {
  readonly nonRefundable: bigint
  readonly #limit: bigint
  #rent = 0n
  #events = 0n

  /** Stroops: the declared resource fee, and the part of it that is due whatever happens. */
  constructor(declared: bigint, nonRefundable: bigint) {
    this.nonRefundable = nonRefundable
    this.#limit = declared - nonRefundable
  }

  /** Why the operation fails, when the declared fee does not cover it. */
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
