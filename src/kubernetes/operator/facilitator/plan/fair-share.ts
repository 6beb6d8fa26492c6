/** A rollout that takes longer goes on, but counts no more: nobody can keep a place. */
const PLACE_MS = 600_000
/** A namespace that waits asks again every 10 s, later where the operator has much to do. */
const WAITS_MS = 60_000

/**
 * Places of a limited number that namespaces share. A place ends when it is released, and after ten minutes in any case. One
 * namespace never holds the last place; a free one goes to the namespace that holds the fewest, then to the one that
 * has waited longest.
 */
export class FairShare {
  readonly #places: number
  /** The places that are taken, by uid; times are in Unix ms. */
  readonly #taken = new Map<string, { readonly namespace: string; readonly until: number }>()
  readonly #waiting = new Map<string, { readonly since: number; readonly askedAt: number }>()

  constructor(places: number) {
    this.#places = places
  }

  /** Whether it has a place now. Ask again soon otherwise. */
  take(uid: string, namespace: string, now: number): boolean {
    this.#forget(now)
    const since = this.#waiting.get(namespace)?.since ?? now
    const ahead = [...this.#waiting].filter(
      ([other, waits]) => (this.#held(other) - this.#held(namespace) || waits.since - since) < 0,
    )
    const isFree = this.#places - this.#taken.size > ahead.length
    if (!isFree || this.#held(namespace) >= this.#most) {
      this.#waiting.set(namespace, { since, askedAt: now })
      return false
    }
    this.#waiting.delete(namespace)
    this.#taken.set(uid, { namespace, until: now + PLACE_MS })
    return true
  }

  release(uid: string): void {
    this.#taken.delete(uid)
  }

  /** Those of `waiting` that would get the free places now, in the order in which they would. */
  next<Waits extends { readonly namespace: string }>(waiting: readonly Waits[]): readonly Waits[] {
    const left = [...waiting]
    const chosen: Waits[] = []
    const held = (namespace: string) =>
      this.#held(namespace) + chosen.filter((each) => each.namespace === namespace).length
    const since = (namespace: string) => this.#waiting.get(namespace)?.since ?? Infinity
    while (chosen.length < this.#places - this.#taken.size) {
      const namespaces = [...new Set(left.map(({ namespace }) => namespace))]
      const [first] = namespaces
        .filter((namespace) => held(namespace) < this.#most)
        .sort((a, b) => held(a) - held(b) || since(a) - since(b))
      const at = left.findIndex(({ namespace }) => namespace === first)
      if (at < 0) break
      chosen.push(...left.splice(at, 1))
    }
    return chosen
  }

  /** How many places one namespace may hold. */
  get #most(): number {
    return Math.max(1, this.#places - 1)
  }

  #held(namespace: string): number {
    return [...this.#taken.values()].filter((taken) => taken.namespace === namespace).length
  }

  #forget(now: number): void {
    for (const [uid, { until }] of this.#taken) if (until <= now) this.#taken.delete(uid)
    for (const [namespace, { askedAt }] of this.#waiting) {
      if (now - askedAt > WAITS_MS) this.#waiting.delete(namespace)
    }
  }
}
