import type { SteadyClock } from '../../../../platform/core/time/clock.ts'
import type { Key } from '../../objects/resource.ts'

interface Delay {
  readonly key: Key
  readonly due: number
}

/**
 * Keys that are due later, each at most once: the earlier of two times counts. A binary heap in which
 * superseded entries stay until they reach the top.
 */
export class Delays {
  readonly #heap: Delay[] = []
  readonly #due = new Map<Key, number>()
  readonly #clock: Pick<SteadyClock, 'monotonic'>

  constructor(clock: Pick<SteadyClock, 'monotonic'>) {
    this.#clock = clock
  }

  /** True when this key is now the next one due. */
  add(key: Key, afterMs: number): boolean {
    const due = this.#clock.monotonic() + afterMs
    if ((this.#due.get(key) ?? Infinity) <= due) return false
    this.#due.set(key, due)
    this.#push({ key, due })
    return this.#heap[0]?.key === key
  }

  cancel(key: Key): void {
    this.#due.delete(key)
  }

  /** Milliseconds until the next key is due; undefined when there is none. */
  nextMs(): number | undefined {
    this.#dropSuperseded()
    const next = this.#heap[0]
    return next && Math.max(0, next.due - this.#clock.monotonic())
  }

  /** Removes and returns all keys that are due. */
  takeDue(): readonly Key[] {
    const keys: Key[] = []
    while (this.nextMs() === 0) {
      const { key } = this.#pop()
      this.#due.delete(key)
      keys.push(key)
    }
    return keys
  }

  #dropSuperseded(): void {
    for (let next = this.#heap[0]; next; next = this.#heap[0]) {
      if (this.#due.get(next.key) === next.due) return
      this.#pop()
    }
  }

  #push(delay: Delay): void {
    const heap = this.#heap
    let at = heap.push(delay) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (heap[parent]!.due <= delay.due) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = delay
  }

  #pop(): Delay {
    const heap = this.#heap
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const child =
        (heap[left + 1]?.due ?? Infinity) < (heap[left]?.due ?? Infinity) ? left + 1 : left
      if (child >= heap.length || heap[child]!.due >= last.due) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}
