import { type Key, nameOf } from './resource.ts'

/** `low` is for start-up and resync, so that a user's edit does not wait behind a thousand refreshes of the same namespace. */
export type Priority = 'normal' | 'low'

interface Namespace {
  readonly lanes: Readonly<Record<Priority, Lane<Key>>>
  /** Workers. */
  held: number
  /** When it last got one: a number that grows. */
  turn: number
}

/**
 * Keys that wait, shared out by namespace, so that slow objects of one delay no other: the namespace that holds the fewest workers is next,
 * and among those the one whose turn was longest ago. Within a namespace the higher priority comes first, then the older key.
 *
 * A namespace that holds workers gets another one only while it has fewer than would then stay free: half of them while it is alone,
 * less beside others, and never the last one, which is for a newcomer. Keys without a namespace count as one namespace.
 */
export class FairLanes {
  readonly #namespaces = new Map<string, Namespace>()
  /** Keys that hold a worker. */
  readonly #holders = new Set<Key>()
  readonly #isWaiting: (key: Key, priority: Priority) => boolean
  #turns = 0

  /** @param isWaiting false for a key that has another priority since it was pushed: it is in both lanes */
  constructor(isWaiting: (key: Key, priority: Priority) => boolean) {
    this.#isWaiting = isWaiting
  }

  push(key: Key, priority: Priority): void {
    this.#of(key).lanes[priority].push(key)
  }

  /** The next key, which holds a worker until it is given back. @param free workers, the one that would get it included */
  take(free: number): Key | undefined {
    let next: Namespace | undefined
    for (const [name, namespace] of this.#namespaces) {
      const waits = this.#laneOf(namespace) !== undefined
      if (!waits && namespace.held === 0) this.#namespaces.delete(name)
      if (!waits || !mayHoldMore(namespace, free)) continue
      if (!next || isBefore(namespace, next)) next = namespace
    }
    const key = next && this.#laneOf(next)?.shift()
    if (!next || key === undefined) return undefined
    this.#turns += 1
    next.turn = this.#turns
    next.held += 1
    this.#holders.add(key)
    return key
  }

  /** The key's worker is free. */
  giveBack(key: Key): void {
    if (this.#holders.delete(key)) this.#of(key).held -= 1
  }

  #of(key: Key): Namespace {
    const { namespace: name = '' } = nameOf(key)
    const known = this.#namespaces.get(name)
    if (known) return known
    const namespace = { lanes: { normal: new Lane<Key>(), low: new Lane<Key>() }, held: 0, turn: 0 }
    this.#namespaces.set(name, namespace)
    return namespace
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

const mayHoldMore = ({ held }: Namespace, free: number): boolean => held === 0 || held < free - 1

const isBefore = (one: Namespace, other: Namespace): boolean =>
  one.held === other.held ? one.turn < other.turn : one.held < other.held

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
