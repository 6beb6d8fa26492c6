/** Requests of one caller that wait: its payers in turn, each payer's in the order of their arrival. */
export class CallerLine<T extends { readonly payer: string }> {
  readonly #byPayer = new Map<string, T[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The newest request of the payer that has the most. */
  get newest(): T | undefined {
    let longest: readonly T[] = []
    for (const requests of this.#byPayer.values()) {
      if (requests.length >= longest.length) longest = requests
    }
    return longest.at(-1)
  }

  add(request: T): void {
    const requests = this.#byPayer.get(request.payer)
    if (requests) requests.push(request)
    else this.#byPayer.set(request.payer, [request])
    this.#length += 1
  }

  /** Removes and returns the next one. */
  take(): T | undefined {
    const [next] = this.#byPayer
    const [payer, [request]] = next ?? ['', []]
    if (request === undefined) return undefined
    this.remove(request)
    const others = this.#byPayer.get(payer)
    // A payer's turn comes again after those of the others.
    if (others && this.#byPayer.delete(payer)) this.#byPayer.set(payer, others)
    return request
  }

  /** False when it does not wait. */
  remove(request: T): boolean {
    const requests = this.#byPayer.get(request.payer) ?? []
    const index = requests.indexOf(request)
    if (index < 0) return false
    requests.splice(index, 1)
    if (requests.length === 0) this.#byPayer.delete(request.payer)
    this.#length -= 1
    return true
  }
}
