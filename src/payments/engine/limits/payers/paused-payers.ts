import type { Clock } from '../../../../platform/core/time/clock.ts'

/** Far more than fail on the ledger in one pause; bounds the memory. */
const MAX_PAYERS = 10_000

/**
 * The payers of one network that this process knows to be paused. The store decides who is; this memory only
 * spares the simulation of a payment that will be refused.
 */
export class PausedPayers {
  readonly #clock: Pick<Clock, 'now'>
  /** When the pause of each payer ends, by this process's clock. */
  readonly #until = new Map<string, number>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  has(payer: string): boolean {
    return (this.#until.get(payer) ?? 0) > this.#clock.now()
  }

  /** @param forMs as the store has it; 0 for a payer that is not paused */
  note(payer: string, forMs: number): void {
    this.#until.delete(payer)
    if (forMs <= 0) return
    const [oldest] = this.#until.keys()
    if (this.#until.size >= MAX_PAYERS && oldest !== undefined) this.#until.delete(oldest)
    this.#until.set(payer, this.#clock.now() + forMs)
  }
}
