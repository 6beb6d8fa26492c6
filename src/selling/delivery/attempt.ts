import { noLongerNeeded } from '../../platform/core/time/no-longer-needed.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import type { ClaimSettings } from './options.ts'
import { encodePlace, encodeRoot, leaseKey, placeKey } from './record.ts'

export interface BoundId {
  readonly key: string
  readonly value: string
  /** Whether this request has bound it, and no earlier one. */
  readonly isNew: boolean
}

/**
 * What the ledger has of the payment of an attempt that gave no goods.
 * - `unpaid`: this attempt certainly did not settle it.
 * - `open`: it was settled, or may be.
 */
export type Ending = 'unpaid' | 'open'

interface AttemptState {
  readonly key: string
  readonly binding: string
  /** The token of the attempt whose place this one writes: its own, or the one that made what this one settles. */
  readonly at: string
  /** Of this one: the value of its lease. */
  readonly token: string
  /** On the monotonic clock. Another process can have the lease from then on. */
  readonly heldUntil: number
  readonly isMade: boolean
}

/** An answer waits for the store for at most this time: its buyer has paid. */
const KEEP_MS = 5_000
const ATTEMPTS = 3
const PAUSE_MS = 200

/** The attempt has lost its lease, or has held it for as long as a handler may run. */
class LeaseEnded extends Error {
  override readonly name = 'LeaseEnded'
}

/**
 * The one attempt that serves a payment. Its lease is renewed until it ends: exactly one of `answer` and `release` has to be
 * called, once.
 */
export class Attempt<Made, Answer> {
  readonly #settings: ClaimSettings
  readonly #state: AttemptState
  readonly #end = new AbortController()
  readonly #lost = new AbortController()
  readonly #renewals: Promise<void>
  #heldUntil: number
  #isMade: boolean
  #id: BoundId | undefined

  constructor(settings: ClaimSettings, state: AttemptState) {
    this.#settings = settings
    this.#state = state
    this.#heldUntil = state.heldUntil
    this.#isMade = state.isMade
    this.#renewals = this.#renew()
  }

  /** Aborts with `LeaseEnded` when another attempt may take over. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** To be called once, before the handler runs. */
  bind(id: BoundId): void {
    this.#id = id
  }

  /**
   * Stores what the handler made, before it is settled. False when another attempt has taken over: then nothing may be
   * settled. Throws what the store throws, and then too.
   */
  async keep(made: Made): Promise<boolean> {
    const { clock } = this.#settings
    const value = encodePlace({ state: 'made', made })
    this.#isMade = await withTimeLimit({ clock, ms: KEEP_MS }, (signal) =>
      this.#write(value, signal),
    )
    return this.#isMade
  }

  /** Stores the answer to each repeat. To be called before the answer is sent, so that no crash leaves an answer sent and unknown. */
  async answer(answer: Answer): Promise<void> {
    const { store, keepMs } = this.#settings
    const { key, binding } = this.#state
    const record = { state: 'answered', binding, answer } as const
    await this.#finish(async (signal) => {
      if (!this.#isMade && !(await this.#write(encodePlace(record), signal))) return
      await this.#try(() => store.put(key, encodeRoot(record), keepMs), signal)
      const id = this.#id
      // It was bound before the handler ran, and has to be for as long as there is an answer.
      if (id) await this.#try(() => store.put(id.key, id.value, keepMs), signal)
      // The root has all of it now.
      await this.#try(() => store.remove(this.#place), signal)
    })
  }

  /** There are no goods to give. A repeat settles what was made, or is served anew; an id that bought nothing is free. */
  async release(ending: Ending): Promise<void> {
    const { store, claimMs } = this.#settings
    const { key, at } = this.#state
    await this.#finish(async (signal) => {
      // This place ends by itself, in case the process ends before it removes the root.
      const isFree = !this.#isMade && (await this.#write(freed, signal, claimMs))
      if (!this.#isMade && !isFree) return
      const id = this.#id
      if (id?.isNew && ending === 'unpaid') await this.#try(() => store.remove(id.key), signal)
      const over = isFree ? key : leaseKey(key, at)
      await this.#try(() => store.remove(over), signal)
    })
  }

  get #place(): string {
    return placeKey(this.#state.key, this.#state.at)
  }

  /** False when the successor has written it. */
  async #write(
    value: string,
    signal: AbortSignal,
    ttlMs = this.#settings.keepMs,
  ): Promise<boolean> {
    const { store } = this.#settings
    const found = await this.#try(() => store.putIfAbsent(this.#place, value, ttlMs), signal)
    // A write whose answer was lost is there already.
    return found === undefined || found === value
  }

  async #finish(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#end.abort(noLongerNeeded)
    const { clock, onError } = this.#settings
    try {
      await withTimeLimit({ clock, ms: KEEP_MS }, async (signal) => {
        // A renewal that is still on its way would put back a lease that is removed.
        await this.#renewals
        await work(signal)
      })
    } catch (error) {
      onError(error)
    }
  }

  async #try<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let left = ATTEMPTS - 1; ; left--) {
      try {
        return await work()
      } catch (error) {
        if (left === 0) throw error
        await this.#settings.clock.sleep(PAUSE_MS, signal)
      }
    }
  }

  /** Ends with the attempt, or when another one can take over. */
  async #renew(): Promise<void> {
    const { clock, claimMs, maxHandlerMs, onError } = this.#settings
    const { signal } = this.#end
    const last = clock.monotonic() + maxHandlerMs
    while (clock.monotonic() < last) {
      try {
        await clock.sleep(Math.min(claimMs / 3, last - clock.monotonic()), signal)
      } catch {
        return
      }
      const askedAt = clock.monotonic()
      if (askedAt >= this.#heldUntil) break
      try {
        if (!(await this.#holds())) break
        this.#heldUntil = askedAt + claimMs
      } catch (error) {
        onError(error)
      }
    }
    this.#lost.abort(new LeaseEnded('Another attempt to serve the payment may have begun.'))
  }

  async #holds(): Promise<boolean> {
    const { store, claimMs } = this.#settings
    const { key, at, token } = this.#state
    const lease = leaseKey(key, at)
    const found = await store.putIfAbsent(lease, token, claimMs)
    if (found === token && !this.#end.signal.aborted) await store.put(lease, token, claimMs)
    return found === undefined || found === token
  }
}

const freed = encodePlace({ state: 'freed' })
