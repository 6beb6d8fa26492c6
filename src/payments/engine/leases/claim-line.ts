/**
 * How many settlements of each payer wait for a channel, or are on their way there. They get channels in the fair order
 * (fair-order.ts), so the many of one payer hardly delay the first one of another.
 */
export class ClaimLine {
  readonly #counts = new Map<string, number>()
  #length = 0

  /** Settlements of all payers. */
  get length(): number {
    return this.#length
  }

  add(payer: string): void {
    this.#counts.set(payer, this.#of(payer) + 1)
    this.#length += 1
  }

  /** Takes one out that was added. */
  remove(payer: string): void {
    const left = this.#of(payer) - 1
    if (left > 0) this.#counts.set(payer, left)
    else this.#counts.delete(payer)
    this.#length -= 1
  }

  /** How many come before a new one of the payer: its own, and of each other payer at most one more. */
  before(payer: string): number {
    const own = this.#of(payer)
    let before = own
    for (const [other, count] of this.#counts) {
      if (other !== payer) before += Math.min(count, own + 1)
    }
    return before
  }

  #of(payer: string): number {
    return this.#counts.get(payer) ?? 0
  }
}
