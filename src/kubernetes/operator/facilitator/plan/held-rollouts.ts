import { LruMap } from '../../../../platform/core/language/lru-map.ts'
import type { SteadyClock } from '../../../../platform/core/time/clock.ts'
import type { Key } from '../../../runtime/objects/resource.ts'
import { TokenBucket } from '../../../runtime/time/token-bucket.ts'
import type { FairShare } from './fair-share.ts'

/** A namespace that ends more rollouts than this wakes nobody: a held Facilitator asks again by itself every 10 s. */
const WAKES_PER_SECOND = 1
const MAX_WAKES_AT_ONCE = 10
/** One that is forgotten here gets its wakes at once again. */
const MAX_NAMESPACES = 1_000

interface Held {
  readonly uid: string
  readonly key: Key
  readonly namespace: string
  /** Nothing but its share of the places of all namespaces holds it. */
  readonly waitsForPlace: boolean
}

export interface HeldRolloutsOptions {
  readonly share: Pick<FairShare, 'next'>
  readonly clock: Pick<SteadyClock, 'monotonic'>
  readonly wake: (key: Key) => void
}

/** The Facilitators that were held in their last pass, and which of them another one wakes. */
export class HeldRollouts {
  readonly #held = new Map<string, Held>()
  readonly #buckets = new LruMap<string, TokenBucket>(MAX_NAMESPACES)
  readonly #share: HeldRolloutsOptions['share']
  readonly #clock: HeldRolloutsOptions['clock']
  readonly #wake: HeldRolloutsOptions['wake']

  constructor({ share, clock, wake }: HeldRolloutsOptions) {
    this.#share = share
    this.#clock = clock
    this.#wake = wake
  }

  add(held: Held): void {
    this.#held.set(held.uid, held)
  }

  delete(uid: string): void {
    this.#held.delete(uid)
  }

  /**
   * Wakes those that may go on once a Facilitator of the namespace is done, fails or gives up its slot: those of the same
   * namespace, and as many of all as there are free places. Another tenant's rollouts cost a namespace no pass that has no effect.
   */
  wakeAfter(namespace: string): void {
    if (this.#held.size === 0 || !this.#bucketOf(namespace).tryTake()) return
    const all = [...this.#held.values()]
    const next = this.#share.next(all.filter(({ waitsForPlace }) => waitsForPlace))
    const woken = new Set([...all.filter((each) => each.namespace === namespace), ...next])
    for (const { key } of woken) this.#wake(key)
  }

  #bucketOf(namespace: string): TokenBucket {
    const known = this.#buckets.get(namespace)
    if (known) return known
    const bucket = new TokenBucket({
      perSecond: WAKES_PER_SECOND,
      burst: MAX_WAKES_AT_ONCE,
      clock: this.#clock,
    })
    this.#buckets.set(namespace, bucket)
    return bucket
  }
}
