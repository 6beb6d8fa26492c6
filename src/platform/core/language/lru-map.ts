/** A map of at most `capacity` entries: drops the least recently used one. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) return
      this.#entries.delete(oldest)
    }
  }

  /** The one that was not used for longest first. */
  values(): readonly V[] {
    return [...this.#entries.values()]
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }
}
