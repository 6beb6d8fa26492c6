import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import { TokenBucket, type TokenBucketOptions } from '../time/token-bucket.ts'

export interface FairTokensOptions extends TokenBucketOptions {
  readonly clock: Pick<SteadyClock, 'monotonic' | 'sleep'>
}

/**
 * A rate limit that is shared out by namespace: each namespace that waits gets one token in turn, so that one that
 * asks without end delays a request of another by one token for each namespace that waits.
 */
export class FairTokens {
  readonly #bucket: TokenBucket
  readonly #clock: FairTokensOptions['clock']
  /** The callers that wait, by namespace; the namespace whose turn is next is first. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #isServing = false

  constructor(options: FairTokensOptions) {
    this.#bucket = new TokenBucket(options)
    this.#clock = options.clock
  }

  /**
   * Resolves with the caller's token.
   * @param namespace '' for requests of no namespace, which share the turns of one
   * @throws the reason of the signal; the caller then took no token
   */
  async take(namespace: string, signal: AbortSignal): Promise<void> {
    if (this.#waiting.size === 0 && this.#bucket.tryTake()) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const mine = this.#waiting.get(namespace) ?? new Set()
    mine.add(resolve)
    this.#waiting.set(namespace, mine)
    const leave = () => {
      mine.delete(resolve)
      if (mine.size === 0 && this.#waiting.get(namespace) === mine) this.#waiting.delete(namespace)
      reject(signal.reason)
    }
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    void this.#serve()
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return
    this.#isServing = true
    while (this.#waiting.size > 0) {
      if (this.#bucket.tryTake()) this.#serveNext()
      else await this.#clock.sleep(this.#bucket.msUntilNext())
    }
    this.#isServing = false
  }

  #serveNext(): void {
    for (const [namespace, waiting] of this.#waiting) {
      this.#waiting.delete(namespace)
      const [first] = waiting
      if (!first) continue
      waiting.delete(first)
      if (waiting.size > 0) this.#waiting.set(namespace, waiting)
      first()
      return
    }
  }
}
