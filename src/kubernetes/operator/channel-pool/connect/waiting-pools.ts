import type { SteadyClock } from '../../../../platform/core/time/clock.ts'
import { FairLruMap } from '../../../runtime/fair-lru-map.ts'
import type { Key } from '../../../runtime/objects/resource.ts'

/** Pools depend on these, and no watch reports them: the pass of one pool finds out for the others that it is there, or free. */
export type Dependency = 'store' | 'rpc' | 'sponsor'

/**
 * By kind: which database and which endpoints, of one namespace, and which sponsor in that database. Absent as far as the Secrets
 * are not known.
 */
export type Dependencies = Readonly<Partial<Record<Dependency, string>>>

interface Waiting {
  readonly dependency: Dependency
  readonly which: string
  /** Monotonic ms. */
  readonly since: number
}

/** Endpoints that answer one request and fail the next would otherwise keep all their pools busy. */
const LEAST_WAIT_MS = 2_000

/**
 * A tenant can give up any number of sponsors in its own database: one of its own that is forgotten here is looked at again without a wake.
 * Each has some 200 characters.
 */
const MAX_FREED = 10_000

interface WaitingPoolsOptions {
  readonly clock: Pick<SteadyClock, 'monotonic'>
  readonly wake: (key: Key) => void
}

/** The pools that wait for something which another pool shares with them: they are woken once that pool has it, or gives it up. */
export class WaitingPools {
  readonly #clock: WaitingPoolsOptions['clock']
  readonly #wake: WaitingPoolsOptions['wake']
  readonly #waiting = new Map<Key, Waiting>()
  /** The pools in a pass, and what was the last sponsor to become free when it began. */
  readonly #inPass = new Map<Key, number>()
  /** When each sponsor became free, as a number that grows; in the namespace of the pool that gave it up. */
  readonly #freed = new FairLruMap<number>(MAX_FREED)
  #freedCount = 0

  constructor({ clock, wake }: WaitingPoolsOptions) {
    this.#clock = clock
    this.#wake = wake
  }

  /** A pass begins: it finds out itself whether the pool still has to wait. */
  begin(key: Key): void {
    this.#waiting.delete(key)
    this.#inPass.set(key, this.#freedCount)
  }

  end(key: Key): void {
    this.#inPass.delete(key)
  }

  wait(key: Key, dependency: Dependency | undefined, on: Dependencies): void {
    if (dependency === undefined) return
    const which = on[dependency]
    if (which === undefined) return
    // Its pass may have read before that the other pool has it.
    const begun = this.#inPass.get(key) ?? this.#freedCount
    const isFree = this.#freed.inAll(which).some((count) => count > begun)
    if (dependency === 'sponsor' && isFree) this.#wake(key)
    else this.#waiting.set(key, { dependency, which, since: this.#clock.monotonic() })
  }

  /** A pool has reached its database and its endpoints. */
  reached(on: Dependencies): void {
    if (this.#waiting.size === 0) return
    const now = this.#clock.monotonic()
    this.#wakeThose(
      ({ dependency, which, since }) =>
        dependency !== 'sponsor' && which === on[dependency] && now - since >= LEAST_WAIT_MS,
    )
  }

  /**
   * No pool manages the channels of this sponsor any more.
   * @param namespace of the pool that has given it up
   */
  freed(sponsor: string, namespace: string | undefined): void {
    this.#freedCount += 1
    this.#freed.set(namespace, sponsor, this.#freedCount)
    this.#wakeThose(({ dependency, which }) => dependency === 'sponsor' && which === sponsor)
  }

  #wakeThose(isMet: (waiting: Waiting) => boolean): void {
    for (const [key, waiting] of [...this.#waiting]) {
      if (!isMet(waiting)) continue
      this.#waiting.delete(key)
      this.#wake(key)
    }
  }
}

/** @param store of `Dependencies`: another database says nothing about the sponsors of this one */
export const sponsorId = (
  store: string,
  { network, sponsor }: { readonly network: string; readonly sponsor: string },
): string => `${store} ${network} ${sponsor}`
