/** Places for answers that take long: limited in all, and by address, so that one address leaves some to the others. */
export class Places {
  readonly #most: { readonly inAll: number; readonly ofAddress: number }
  readonly #byAddress = new Map<string, number>()
  #taken = 0

  constructor(most: { readonly inAll: number; readonly ofAddress: number }) {
    this.#most = most
  }

  /** Takes a place, and gives the function that frees it, to be called once; undefined: there is none. */
  take(address: string): (() => void) | undefined {
    const own = this.#byAddress.get(address) ?? 0
    if (this.#taken >= this.#most.inAll || own >= this.#most.ofAddress) return undefined
    this.#add(address, 1)
    return () => this.#add(address, -1)
  }

  #add(address: string, change: 1 | -1): void {
    const own = (this.#byAddress.get(address) ?? 0) + change
    if (own === 0) this.#byAddress.delete(address)
    else this.#byAddress.set(address, own)
    this.#taken += change
  }
}
