/**
 * A map of at most `capacity` entries that all namespaces share. When it is full, the namespace with the most entries loses its least
 * recently used one: whoever makes objects without end pushes out only entries of its own.
 */
export class FairLruMap<V> {
  /** By namespace, then by key. */
  readonly #namespaces = new Map<string, Map<string, V>>()
  readonly #capacity: number
  #size = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(namespace: string | undefined, key: string): V | undefined {
    const entries = this.#namespaces.get(namespace ?? '')
    const value = entries?.get(key)
    if (entries && value !== undefined) {
      entries.delete(key)
      entries.set(key, value)
    }
    return value
  }

  /** The values that namespaces have of the key. */
  inAll(key: string): readonly V[] {
    return [...this.#namespaces.values()].flatMap((entries) => {
      const value = entries.get(key)
      return value === undefined ? [] : [value]
    })
  }

  set(namespace: string | undefined, key: string, value: V): void {
    this.delete(namespace, key)
    const entries = this.#namespaces.get(namespace ?? '') ?? new Map<string, V>()
    this.#namespaces.set(namespace ?? '', entries)
    entries.set(key, value)
    this.#size += 1
    if (this.#size > this.#capacity) this.#dropOne()
  }

  delete(namespace: string | undefined, key: string): void {
    const entries = this.#namespaces.get(namespace ?? '')
    if (!entries?.delete(key)) return
    this.#size -= 1
    if (entries.size === 0) this.#namespaces.delete(namespace ?? '')
  }

  #dropOne(): void {
    let most = ''
    let size = 0
    for (const [namespace, entries] of this.#namespaces) {
      if (entries.size > size) [most, size] = [namespace, entries.size]
    }
    const [oldest] = this.#namespaces.get(most)?.keys() ?? []
    if (oldest !== undefined) this.delete(most, oldest)
  }
}
