export type WritePriority = 'tail' | 'backfill' | 'upkeep'
const order: readonly WritePriority[] = ['tail', 'backfill', 'upkeep']

interface Waiting {
  readonly priority: WritePriority
  readonly start: () => void
}

/**
 * Runs one write of this process at a time, and those of the live tail first: writes of figures wait for each other
 * in the store anyway, and a new ledger must wait for one of them at most.
 */
export class WriteQueue {
  #waiting: Waiting[] = []
  #isBusy = false

  async run<T>(priority: WritePriority, write: () => Promise<T>): Promise<T> {
    if (this.#isBusy) {
      await new Promise<void>((start) => this.#waiting.push({ priority, start }))
    }
    this.#isBusy = true
    try {
      return await write()
    } finally {
      this.#startNext()
    }
  }

  #startNext(): void {
    this.#waiting.sort((a, b) => order.indexOf(a.priority) - order.indexOf(b.priority))
    const next = this.#waiting.shift()
    // The queue stays busy for the one that starts.
    if (next) next.start()
    else this.#isBusy = false
  }
}
