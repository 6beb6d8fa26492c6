import { type Key, nameOf } from '../../objects/resource.ts'

/** `low` is for start-up and resync, so that a user's edit does not wait behind a thousand refreshes of the same namespace. */
export type Priority = 'normal' | 'low'

interface Namespace {
  readonly lanes: Readonly<Record<Priority, Lane<Key>>>
  /** Workers. */
  held: number
}

/**
 * Keys that wait, shared out by namespace, so that slow objects of one delay no other: the namespace that holds the fewest workers is next,
 * and among those the one whose turn was longest ago. Within a namespace the higher priority comes first, then the older key.
 *
 * A namespace that holds workers gets another one only while it has fewer than would then stay free: half of them while it is alone,
 * less beside others, and never the last one, which is for a newcomer. Keys without a namespace count as one namespace.
 */
export class FairLanes {
  /** Namespaces that have had no worker yet, the oldest first. */
  readonly #newcomers = new Map<string, Namespace>()
  /** The others; the one whose turn was longest ago is first, so that a search ends at the first that waits and holds no worker. */
  readonly #served = new Map<string, Namespace>()
  /** Names of namespaces that held no worker when their last one came back: without waiting keys they are removed. */
  readonly #resting = new Set<string>()
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
    this.#removeResting()
    const [name, next] = this.#next() ?? []
    if (name === undefined || !next || !mayHoldMore(next, free)) return undefined
    const key = this.#laneOf(next)?.shift()
    if (key === undefined) return undefined
    this.#newcomers.delete(name)
    this.#served.delete(name)
    this.#served.set(name, next)
    next.held += 1
    this.#holders.add(key)
    return key
  }

  /** The key's worker is free. */
  giveBack(key: Key): void {
    if (!this.#holders.delete(key)) return
    const namespace = this.#of(key)
    namespace.held -= 1
    if (namespace.held === 0) this.#resting.add(nameOf(key).namespace ?? '')
  }

  #removeResting(): void {
    for (const name of this.#resting) {
      const namespace = this.#served.get(name)
      if (namespace?.held === 0 && !this.#laneOf(namespace)) this.#served.delete(name)
    }
    this.#resting.clear()
  }

  /** Only namespaces that hold workers are passed over, and there are no more of them than workers. */
  #next(): readonly [string, Namespace] | undefined {
    for (const entry of this.#newcomers) if (this.#laneOf(entry[1])) return entry
    let least: [string, Namespace] | undefined
    for (const entry of this.#served) {
      const [, namespace] = entry
      if (!this.#laneOf(namespace)) continue
      if (namespace.held === 0) return entry
      if (!least || namespace.held < least[1].held) least = entry
    }
    return least
  }

  #of(key: Key): Namespace {
    const { namespace: name = '' } = nameOf(key)
    const known = this.#served.get(name) ?? this.#newcomers.get(name)
    if (known) return known
    const namespace = { lanes: { normal: new Lane<Key>(), low: new Lane<Key>() }, held: 0 }
    this.#newcomers.set(name, namespace)
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
