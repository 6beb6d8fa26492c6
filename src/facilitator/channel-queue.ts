import type { Clock } from '../core/clock.ts'

/** Without news a waiter looks again this often: news may be lost with a connection. */
const LOOK_AGAIN_MS = 1_000

/**
 * Lets settlements wait in line for a channel: the first in line tries again whenever one is
 * freed, and every LOOK_AGAIN_MS; the others wait for their turn without asking the store.
 */
export class ChannelQueue {
  readonly #clock: Clock
  #line: Promise<void> = Promise.resolve()
  #wake: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Says that a channel was freed, here or by another replica. */
  freed(): void {
    this.#wake?.()
  }

  /** Runs `lease` in turn until it gives a channel or `withinMs` have passed: then undefined. */
  async wait<T>(
    lease: () => Promise<T | undefined>,
    withinMs: number,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const deadline = this.#clock.now() + withinMs
    const before = this.#line
    const turn = Promise.withResolvers<void>()
    this.#line = before.then(() => turn.promise)
    try {
      await before
      return await this.#tryUntil(deadline, lease, signal)
    } finally {
      turn.resolve()
    }
  }

  async #tryUntil<T>(
    deadline: number,
    lease: () => Promise<T | undefined>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    for (;;) {
      const news = Promise.withResolvers<void>()
      this.#wake = news.resolve
      const leased = await lease()
      if (leased !== undefined) return leased
      const leftMs = deadline - this.#clock.now()
      if (leftMs <= 0) return undefined
      const over = new AbortController()
      const pause = this.#clock.sleep(
        Math.min(LOOK_AGAIN_MS, leftMs),
        AbortSignal.any([signal, over.signal]),
      )
      await Promise.race([news.promise, pause]).finally(() => {
        over.abort()
        pause.catch(() => undefined)
      })
    }
  }
}
