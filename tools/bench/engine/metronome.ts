import { setTimeout as pause } from 'node:timers/promises'
import { monotonicMs } from '../monotonic.ts'

/** Closes the ledgers of a network that closes them on demand only, and knows when each had closed. */
export class Metronome implements AsyncDisposable {
  /** By ledger, as `monotonicMs` tells it, when it had closed. */
  readonly closedAt = new Map<number, number>()
  readonly #url: string
  readonly #stop = new AbortController()
  readonly #running: Promise<void>
  #everyMs: number
  #due: number
  #next = Promise.withResolvers<number>()

  constructor(rpcUrl: string, everyMs: number) {
    this.#url = `${rpcUrl}/close`
    this.#everyMs = everyMs
    this.#due = midSecond(Date.now())
    this.#running = this.#run()
  }

  get everyMs(): number {
    return this.#everyMs
  }

  /** From the next ledger on. */
  pace(everyMs: number): void {
    this.#everyMs = everyMs
  }

  /** Resolves with the next ledger that closes, right after it did. */
  nextClose(): Promise<number> {
    return this.#next.promise
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        await pause(this.#untilDue(), undefined, { signal })
      } catch {
        return
      }
      const ledger = await this.#close()
      const { resolve } = this.#next
      this.#next = Promise.withResolvers()
      resolve(ledger)
    }
  }

  async #close(): Promise<number> {
    const response = await fetch(this.#url, { method: 'POST' })
    const closed = monotonicMs()
    const { sequence } = (await response.json()) as { sequence: number }
    this.closedAt.set(sequence, closed)
    return sequence
  }

  /** The beat is kept; a ledger that took longer than its time begins a new one. */
  #untilDue(): number {
    const now = Date.now()
    const due = this.#due + this.#everyMs
    this.#due = due > now ? due : midSecond(now + this.#everyMs)
    return this.#due - now
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}

/**
 * Close times are whole seconds: ledgers closed in the middle of one are by them exactly as far apart
 * as they are, even when one is a little late.
 */
const midSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000 + 500
