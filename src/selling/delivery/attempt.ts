import { noLongerNeeded } from '../../platform/core/time/no-longer-needed.ts'
import { undefinedWhenLate, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { type ClaimSettings, STORE_MS } from './options.ts'
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
  /** The root under which it began, as the store has it. */
  readonly root: string
  /** The token of the attempt whose place this one writes: its own, or the one that made what this one settles. */
  readonly at: string
  /** Of this one: the value of its lease. */
  readonly token: string
  /** On the monotonic clock. Another process can have the lease from then on. */
  readonly heldUntil: number
  /** What an earlier attempt made, as the store has it in this place. */
  readonly placed?: string
}

/** An answer waits for the store for at most this time: its buyer has paid. */
const KEEP_MS = 5_000
/** The end of an attempt waits for a renewal that is on its way for at most this time. */
const RENEWAL_MS = 1_000
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
  /** What this attempt has in its place, as the store has it. Then no other one has taken over. */
  #placed: string | undefined
  #id: BoundId | undefined

  constructor(settings: ClaimSettings, state: AttemptState) {
    this.#settings = settings
    this.#state = state
    this.#heldUntil = state.heldUntil
    this.#placed = state.placed
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
    return withTimeLimit({ clock, ms: KEEP_MS }, (signal) => this.#write(value, signal))
  }

  /**
   * To be called before what is not stored is settled: no other attempt takes over for `claimMs` then. False when another one
   * has, or may soon: then nothing may be settled. Throws what the store throws, and then too.
   */
  async hold(): Promise<boolean> {
    if (!this.#isHeld) return false
    const { clock, claimMs } = this.#settings
    return withTimeLimit({ clock, ms: KEEP_MS }, (signal) => this.#write(settling, signal, claimMs))
  }

  /** Stores the answer to each repeat. To be called before the answer is sent, so that no crash leaves an answer sent and unknown. */
  async answer(answer: Answer): Promise<void> {
    const { store, keepMs } = this.#settings
    const { key, binding } = this.#state
    const record = { state: 'answered', binding, answer } as const
    await this.#finish(async (signal) => {
      if (!this.#placed && !(await this.#write(encodePlace(record), signal))) return
      await this.#try(() => store.put(key, encodeRoot(record), keepMs), signal)
      const id = this.#id
      // It was bound before the handler ran, and has to be for as long as there is an answer.
      if (id) await this.#try(() => store.put(id.key, id.value, keepMs), signal)
      const placed = this.#placed
      // The root has all of it now.
      if (placed) await this.#try(() => store.remove(this.#place, placed), signal)
    })
  }

  /** There are no goods to give. A repeat settles what was made, or is served anew; an id that bought nothing is free. */
  async release(ending: Ending): Promise<void> {
    const { store, claimMs } = this.#settings
    const { key, root, at, token } = this.#state
    await this.#finish(async (signal) => {
      if (this.#placed === settling) {
        await this.#try(() => store.remove(this.#place, settling), signal)
        this.#placed = undefined
      }
      const isMade = this.#placed !== undefined
      if (!isMade && !(await this.#write(freed, signal))) return
      const id = this.#id
      if (id?.isNew && ending === 'unpaid' && this.#isHeld) {
        await this.#try(() => store.remove(id.key, id.value), signal)
      }
      if (!isMade) {
        await this.#try(() => store.remove(key, root), signal)
        // Not needed any more, but the same command may reach the store once more, and late.
        await this.#try(() => store.put(this.#place, freed, claimMs), signal)
      }
      await this.#try(() => store.remove(leaseKey(key, at), token), signal)
    })
  }

  get #place(): string {
    return placeKey(this.#state.key, this.#state.at)
  }

  get #isHeld(): boolean {
    return !this.#lost.signal.aborted && this.#settings.clock.monotonic() < this.#heldUntil
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
    const isOurs = found === undefined || found === value
    if (isOurs) this.#placed = value
    return isOurs
  }

  async #finish(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#end.abort(noLongerNeeded)
    const { clock, onError } = this.#settings
    // A renewal that is still on its way would put back a lease that is removed.
    await withTimeLimit({ clock, ms: RENEWAL_MS }, () => this.#renewals).catch(undefinedWhenLate)
    try {
      await withTimeLimit({ clock, ms: KEEP_MS }, work)
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
    const left = () => Math.min(last, this.#heldUntil) - clock.monotonic()
    while (left() > 0) {
      try {
        await clock.sleep(Math.min(claimMs / 3, left()), signal)
      } catch {
        return
      }
      const askedAt = clock.monotonic()
      if (left() <= 0) break
      try {
        const ms = Math.min(STORE_MS, left())
        if (!(await withTimeLimit({ clock, ms }, () => this.#holds()))) break
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

const settling = encodePlace({ state: 'settling' })
const freed = encodePlace({ state: 'freed' })
