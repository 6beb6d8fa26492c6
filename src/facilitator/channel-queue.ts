import type { Clock } from '../core/clock.ts'

/** The first in line also retries this often: a notification may be lost with its connection. */
const RETRY_MS = 1_000

/**
 * Queue of the settlements that wait for a channel. The first in line tries to lease one whenever one
 * is freed, and every `RETRY_MS`; the others wait for their turn without a query.
 */
export class ChannelQueue {
  readonly #clock: Clock
  #line: Promise<void> = Promise.resolve()
  #wake: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call when a channel was freed, by this or another replica. */
  freed(): void {
    this.#wake?.()
  }

  /** Runs `lease`, in turn, until it returns a channel; undefined after `withinMs`. */
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
      const freed = Promise.withResolvers<void>()
      this.#wake = freed.resolve
      const leased = await lease()
      if (leased !== undefined) return leased
      const leftMs = deadline - this.#clock.now()
      if (leftMs <= 0) return undefined
      const stopWaiting = new AbortController()
      const pause = this.#clock.sleep(
        Math.min(RETRY_MS, leftMs),
        AbortSignal.any([signal, stopWaiting.signal]),
      )
      await Promise.race([freed.promise, pause]).finally(() => {
        stopWaiting.abort()
        pause.catch(() => undefined)
      })
    }
  }
}
