import { asStroops, type Stroops } from '../../../../platform/core/amounts/stroops.ts'

/** The maximum fee of one settlement that this process claims. */
export interface FeePromise {
  /** Call when the claim is in the store: the next read of the store's sum includes the fee. */
  readonly stored: () => void
  /** Call when nothing will be charged. */
  readonly release: () => void
}

/**
 * Fees of the settlements that this process has claimed since the store's sum of promised fees was read.
 * Without them all requests between two polls would spend the same balance.
 */
export class ClaimedFees {
  /** The fee of each promise, and whether its claim is in the store. */
  readonly #open = new Map<FeePromise, { readonly fee: Stroops; isStored: boolean }>()

  get total(): Stroops {
    let total = 0n
    for (const { fee } of this.#open.values()) total += fee
    return asStroops(total)
  }

  promise(fee: Stroops): FeePromise {
    const entry = { fee, isStored: false }
    const promise: FeePromise = {
      stored: () => {
        entry.isStored = true
      },
      release: () => {
        this.#open.delete(promise)
      },
    }
    this.#open.set(promise, entry)
    return promise
  }

  /**
   * Call before the store's sum is read, and the result once it was: from then on the sum includes the claims
   * that were in the store before. A claim whose statement ran at the same time may count twice until the next read.
   */
  beforeRead(): () => void {
    const included = [...this.#open].filter(([, { isStored }]) => isStored)
    return () => {
      for (const [promise] of included) this.#open.delete(promise)
    }
  }
}
