/** Counts the requests in progress, so that a server can stop without cutting one off. */
export class OpenCount {
  #count = 0
  #waiting: (() => void)[] = []

  get count(): number {
    return this.#count
  }

  enter(): void {
    this.#count += 1
  }

  leave(): void {
    this.#count -= 1
    if (this.#count > 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  /** Resolves once nothing is open, at once if nothing is. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }
}
