/** Counts that change, by key; what does not change has no entry. */
export class Deltas {
  readonly #byKey = new Map<string, number>()

  add(key: string, delta: number): void {
    const sum = (this.#byKey.get(key) ?? 0) + delta
    if (sum === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, sum)
  }

  /** From one hour to another; a new address has no hour before. */
  move(before: number | undefined, after: number, keyOf: (hour: number) => string): void {
    if (before === after) return
    if (before !== undefined) this.add(keyOf(before), -1)
    this.add(keyOf(after), 1)
  }

  get(key: string): number {
    return this.#byKey.get(key) ?? 0
  }

  entries(): readonly (readonly [string, number])[] {
    return [...this.#byKey]
  }
}
