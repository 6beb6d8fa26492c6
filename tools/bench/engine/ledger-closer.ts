import { setTimeout as pause } from 'node:timers/promises'
import { monotonicMs } from '../monotonic.ts'

/** Closes the ledgers of a network in manual mode, and records when each had closed. */
export class LedgerCloser implements AsyncDisposable {
  /** `monotonicMs` after the close, by ledger. */
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
  setInterval(everyMs: number): void {
    this.#everyMs = everyMs
  }

  /** Resolves right after the next close, with the ledger's sequence. */
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

  /** Fixed rate; after a close that took longer, the schedule restarts from now. */
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
 * Close times are whole seconds. Ledgers closed in the middle of a second have exact distances, even when
 * one is a little late.
 */
const midSecond = (ms: number): number => Math.floor(ms / 1_000) * 1_000 + 500
