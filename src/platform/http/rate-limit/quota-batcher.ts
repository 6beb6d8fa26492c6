import type { RateLimit, RateWindows } from '../../core/rate-windows.ts'
import type { Clock } from '../../core/time/clock.ts'
import { withTimeLimit } from '../../core/time/time-limit.ts'
import type { ClientMinute } from './client-minute.ts'

export interface QuotaBatcherOptions {
  readonly windows: RateWindows
  readonly limit: RateLimit
  readonly clock: Clock
  readonly onUnshared?: () => void
  readonly onError?: (error: unknown) => void
}

/** A healthy store answers in a millisecond or two; callers must not notice the limiter. */
const ANSWER_TIMEOUT_MS = 250
/** After a failure no request is sent for so long, and calls do not wait. */
const RETRY_AFTER_FAILURE_MS = 1_000
const MAX_CLIENTS_PER_REQUEST = 500

type Waiter = (mayPass: boolean) => void
type Batch = readonly (readonly [ClientMinute, readonly Waiter[]])[]

/**
 * Sends the quota requests of many clients to the shared windows together: one statement at a time,
 * and calls that arrive while it runs go with the next. So the load on the store does not grow
 * with the number of calls.
 */
export class QuotaBatcher {
  readonly #options: QuotaBatcherOptions
  #waiting = new Map<ClientMinute, Waiter[]>()
  #isSending = false
  #localUntil = 0

  constructor(options: QuotaBatcherOptions) {
    this.#options = options
  }

  /** Whether one call of this client may pass. Never throws, and waits 250 ms at most for each statement. */
  admit(client: ClientMinute): Promise<boolean> | boolean {
    if (this.#options.clock.now() < this.#localUntil) return this.#decideLocally(client)
    const answer = new Promise<boolean>((resolve) => {
      const waiters = this.#waiting.get(client)
      if (waiters) waiters.push(resolve)
      else this.#waiting.set(client, [resolve])
    })
    if (!this.#isSending) void this.#sendAll()
    return answer
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true
    while (this.#waiting.size > 0) await this.#send(this.#nextBatch())
    this.#isSending = false
  }

  #nextBatch(): Batch {
    const batch = [...this.#waiting].slice(0, MAX_CLIENTS_PER_REQUEST)
    for (const [client] of batch) this.#waiting.delete(client)
    return batch
  }

  async #send(batch: Batch): Promise<void> {
    const { windows, limit, clock, onError } = this.#options
    const requests = batch.map(([client, waiters]) => client.startRequest(waiters.length))
    try {
      const answers = await withTimeLimit({ clock, ms: ANSWER_TIMEOUT_MS }, () =>
        windows.take(requests, limit),
      )
      if (answers.length !== batch.length) throw new Error('not every request was answered')
      for (const [index, answer] of answers.entries()) {
        const [client, waiters] = batch[index] ?? []
        client?.applyAnswer(answer, clock.now())
        waiters?.forEach((resolve, place) => {
          resolve(place < answer.admitted)
        })
      }
    } catch (error) {
      this.#localUntil = clock.now() + RETRY_AFTER_FAILURE_MS
      onError?.(error)
      const unanswered = [...batch, ...this.#waiting]
      this.#waiting = new Map()
      for (const [client, waiters] of unanswered) {
        for (const resolve of waiters) resolve(this.#decideLocally(client))
      }
    }
  }

  #decideLocally(client: ClientMinute): boolean {
    const mayPass = client.decideLocally()
    if (mayPass) this.#options.onUnshared?.()
    return mayPass
  }
}
