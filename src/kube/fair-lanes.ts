import { type Key, nameOf } from './resource.ts'

/** `low` is for start-up and resync, so that a user's edit does not wait behind a thousand refreshes of the same namespace. */
export type Priority = 'normal' | 'low'

interface Namespace {
  readonly name: string
  readonly lanes: Readonly<Record<Priority, Lane<Key>>>
  /** Workers. */
  held: number
}

/**
 * Keys that wait, shared out by namespace, so that slow objects of one delay no other: the namespace that holds the fewest workers is next,
 * and among those the one that has held so many for the longest time. Within a namespace the higher priority comes first, then the older key.
 *
 * A namespace that holds workers gets another one only while it has fewer than would then stay free: half of them while it is alone,
 * less beside others, and never the last one, which is for a newcomer. Keys without a namespace count as one namespace.
 */
export class FairLanes {
  readonly #namespaces = new Map<string, Namespace>()
  /** The namespaces by the workers that they hold. A take looks at few of them, however many wait. */
  readonly #byHeld: Set<Namespace>[] = []
  /** Keys that hold a worker. */
  readonly #holders = new Set<Key>()
  readonly #isWaiting: (key: Key, priority: Priority) => boolean

  /** @param isWaiting false for a key that has another priority since it was pushed: it is in both lanes */
  constructor(isWaiting: (key: Key, priority: Priority) => boolean) {
    this.#isWaiting = isWaiting
  }

  push(key: Key, priority: Priority): void {
    this.#of(key).lanes[priority].push(key)
  }

  /** The next key, which holds a worker until it is given back. @param free workers, the one that would get it included */
  take(free: number): Key | undefined {
    for (const [held, namespaces] of this.#byHeld.entries()) {
      if (!mayHoldMore(held, free)) return undefined
      for (const namespace of namespaces) {
        const key = this.#laneOf(namespace)?.shift()
        if (key === undefined) {
          if (held === 0) this.#forget(namespace)
          continue
        }
        this.#holders.add(key)
        this.#hold(namespace, held + 1)
        return key
      }
    }
    return undefined
  }

  /** The key's worker is free. */
  giveBack(key: Key): void {
    if (!this.#holders.delete(key)) return
    const namespace = this.#of(key)
    this.#hold(namespace, namespace.held - 1)
  }

  #of(key: Key): Namespace {
    const { namespace: name = '' } = nameOf(key)
    const known = this.#namespaces.get(name)
    if (known) return known
    const lanes = { normal: new Lane<Key>(), low: new Lane<Key>() }
    const namespace = { name, lanes, held: 0 }
    this.#namespaces.set(name, namespace)
    this.#hold(namespace, 0)
    return namespace
  }

  #hold(namespace: Namespace, held: number): void {
    this.#byHeld[namespace.held]?.delete(namespace)
    namespace.held = held
    const others = this.#byHeld[held] ?? new Set()
    this.#byHeld[held] = others.add(namespace)
  }

  #forget(namespace: Namespace): void {
    this.#byHeld[0]?.delete(namespace)
    this.#namespaces.delete(namespace.name)
  }

  /** The lane of the key that is next in the namespace; undefined when none waits. */
  #laneOf({ lanes }: Namespace): Lane<Key> | undefined {
    for (const priority of ['normal', 'low'] as const) {
      const lane = lanes[priority]
      while (lane.first !== undefined && !this.#isWaiting(lane.first, priority)) lane.shift()
      if (lane.first !== undefined) return lane
    }
    return undefined
  }
}

const mayHoldMore = (held: number, free: number): boolean => held === 0 || held < free - 1

/** A first-in first-out list with a head index: `Array#shift` takes 5 s for 100,000 items, this 0.1 s. */
export class Lane<T> {
  #items: T[] = []
  #head = 0

  get first(): T | undefined {
    return this.#items[this.#head]
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    const item = this.#items[this.#head]
    if (this.#head >= this.#items.length) return undefined
    this.#head += 1
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
