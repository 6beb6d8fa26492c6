import type { SteadyClock } from '../../../../platform/core/time/clock.ts'
import type { Key } from '../../../runtime/objects/resource.ts'

/** What pools depend on and no watch reports: the pass of one pool finds out for the others that it is there, or free. */
export type Dependency = 'store' | 'rpc' | 'sponsor'

/** By kind: which database, which endpoints, and the sponsor of which network. Absent as far as the Secrets are not known. */
export type Dependencies = Readonly<Partial<Record<Dependency, string>>>

interface Waiting {
  readonly dependency: Dependency
  readonly which: string
  /** Monotonic ms. */
  readonly since: number
}

/** Endpoints that answer one request and fail the next would otherwise keep all their pools busy. */
const LEAST_WAIT_MS = 2_000

interface WaitingPoolsOptions {
  readonly clock: Pick<SteadyClock, 'monotonic'>
  readonly wake: (key: Key) => void
}

/** The pools that wait for something which another pool shares with them: they are woken once that pool has it, or gives it up. */
export class WaitingPools {
  readonly #clock: WaitingPoolsOptions['clock']
  readonly #wake: WaitingPoolsOptions['wake']
  readonly #waiting = new Map<Key, Waiting>()
  readonly #inPass = new Set<Key>()

  constructor({ clock, wake }: WaitingPoolsOptions) {
    this.#clock = clock
    this.#wake = wake
  }

  /** A pass begins: it finds out itself whether the pool still has to wait. */
  begin(key: Key): void {
    this.#waiting.delete(key)
    this.#inPass.add(key)
  }

  end(key: Key): void {
    this.#inPass.delete(key)
  }

  wait(key: Key, dependency: Dependency | undefined, on: Dependencies): void {
    if (dependency === undefined) return
    const which = on[dependency]
    if (which === undefined) return
    this.#waiting.set(key, { dependency, which, since: this.#clock.monotonic() })
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

  /** No pool manages the channels of this sponsor any more. One whose pass has just read the contrary has to read it again. */
  freed(sponsor: string): void {
    this.#wakeThose(({ dependency, which }) => dependency === 'sponsor' && which === sponsor)
    for (const key of this.#inPass) this.#wake(key)
  }

  #wakeThose(isMet: (waiting: Waiting) => boolean): void {
    for (const [key, waiting] of [...this.#waiting]) {
      if (!isMet(waiting)) continue
      this.#waiting.delete(key)
      this.#wake(key)
    }
  }
}

export const sponsorId = ({
  network,
  sponsor,
}: {
  readonly network: string
  readonly sponsor: string
}): string => `${network} ${sponsor}`
