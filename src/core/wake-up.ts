import type { Clock } from './clock.ts'

/** Lets a loop sleep until time passes or something wakes it. A wake while it works ends its next sleep at once. */
export class WakeUp {
  #isDue = false
  #sleeping: AbortController | undefined

  wake(): void {
    this.#isDue = true
    this.#sleeping?.abort()
  }

  /** Never rejects; returns early when the signal aborts. One call at a time. */
  async sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isDue && !signal.aborted) {
      const woken = new AbortController()
      const stop = () => woken.abort()
      signal.addEventListener('abort', stop, { once: true })
      this.#sleeping = woken
      await clock.sleep(ms, woken.signal).catch(() => undefined)
      this.#sleeping = undefined
      signal.removeEventListener('abort', stop)
    }
    this.#isDue = false
  }
}
