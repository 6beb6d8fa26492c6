import { randomUUID } from 'node:crypto'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { Attempt, type BoundId } from './attempt.ts'
import type { Claim } from './claim.ts'
import type { ClaimSettings } from './options.ts'
import {
  decodePlace,
  decodeRoot,
  encodePlace,
  encodeRoot,
  leaseKey,
  placeKey,
  type Root,
} from './record.ts'

/** Why a request is not served. */
export type Refusal =
  /** Its payment belongs to another request. */
  | 'payment_conflict'
  /** Its id belongs to another payment. */
  | 'identifier_conflict'
  /** The first request with its payment is still being served. */
  | 'in_progress'
  /** The store did not answer: nothing is served, since it may know that the goods were delivered. */
  | 'store_unavailable'

export type Begun<Made, Answer> =
  | { readonly kind: 'refused'; readonly reason: Refusal }
  /** Give this. It is paid for. */
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** A handler made this earlier: settle the payment, and give it if that succeeds. */
  | { readonly kind: 'made'; readonly made: Made; readonly attempt: Attempt<Made, Answer> }
  /** Verify the payment, run the handler, and tell the attempt of what it made. */
  | { readonly kind: 'new'; readonly attempt: Attempt<Made, Answer> }

type Found<Made, Answer> = Begun<Made, Answer> | 'running'

/** A store that does not answer within this time is not available. */
const STORE_MS = 5_000
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 500

/**
 * Decides for each request, before its payment is verified, whether it is served or answered as before (specs/extensions/
 * payment_identifier.md, Recovering a lost response). A payment is claimed by its signed part and by its id: of all requests
 * that have one of them, in any process on the store, one at a time is served, and after it was delivered none.
 *
 * `Made` and `Answer` are JSON.
 */
export class Deliveries<Made, Answer> {
  readonly #settings: ClaimSettings
  /** Repeats of a payment that wait in this process, by the key of the payment. */
  readonly #waiting = new Map<string, number>()

  constructor(settings: ClaimSettings) {
    this.#settings = settings
  }

  /** @throws the reason of the signal, when the caller leaves while it waits */
  async begin(claim: Claim, signal?: AbortSignal): Promise<Begun<Made, Answer>> {
    try {
      const found = await this.#claim(claim, signal)
      return 'attempt' in found ? await this.#bindId(claim, found) : found
    } catch (error) {
      signal?.throwIfAborted()
      this.#settings.onError(error)
      return refused('store_unavailable')
    }
  }

  async #claim(claim: Claim, signal?: AbortSignal): Promise<Begun<Made, Answer>> {
    const { clock, waitMs, maxWaiting } = this.#settings
    const { key } = claim
    let found = await this.#find(claim)
    if (found !== 'running') return found
    const waiting = this.#waiting.get(key) ?? 0
    if (waiting >= maxWaiting) return refused('in_progress')
    this.#waiting.set(key, waiting + 1)
    try {
      const end = clock.monotonic() + waitMs
      for (let pauseMs = FIRST_PAUSE_MS; found === 'running'; pauseMs *= 1.5) {
        if (clock.monotonic() >= end) return refused('in_progress')
        await clock.sleep(Math.min(pauseMs, MAX_PAUSE_MS), signal)
        found = await this.#find(claim)
      }
      return found
    } finally {
      const others = (this.#waiting.get(key) ?? 1) - 1
      if (others > 0) this.#waiting.set(key, others)
      else this.#waiting.delete(key)
    }
  }

  async #find(claim: Claim): Promise<Found<Made, Answer>> {
    const { key, binding } = claim
    const { keepMs } = this.#settings
    const token = randomUUID()
    const root = encodeRoot({ state: 'begun', binding, token })
    const found = await this.#putIfAbsent(key, root, keepMs)
    if (found === undefined) return this.#lead(claim, token)
    const record: Root<Answer> = decodeRoot(found)
    if (record.binding !== binding) return refused('payment_conflict')
    if (record.state === 'answered') return { kind: 'answered', answer: record.answer }
    return this.#follow(claim, record.token, token)
  }

  /** The attempt with this token is the last one: nobody else has begun after it. */
  async #lead(claim: Claim, token: string): Promise<Found<Made, Answer>> {
    const askedAt = this.#settings.clock.monotonic()
    const holder = await this.#lease(claim.key, token, token)
    // Somebody has found it without a lease, and takes over.
    if (holder !== undefined) return 'running'
    return { kind: 'new', attempt: this.#attempt(claim, { at: token, token, askedAt }) }
  }

  /** Whoever finds an attempt without a lease takes the lease: to settle what it made, or to take over. */
  async #follow(claim: Claim, first: string, token: string): Promise<Found<Made, Answer>> {
    const { key } = claim
    const { keepMs, store } = this.#settings
    for (let at = first; ; ) {
      const askedAt = this.#settings.clock.monotonic()
      if ((await this.#lease(key, at, token)) !== undefined) return 'running'
      const passed = encodePlace({ state: 'passed', token })
      const found = await this.#putIfAbsent(placeKey(key, at), passed, keepMs)
      if (found === undefined) return this.#lead(claim, token)
      const place = decodePlace<Made, Answer>(found)
      if (place.state === 'answered') {
        // Its process ended before it wrote the root.
        await this.#within(() => store.put(key, encodeRoot(place), keepMs))
        return { kind: 'answered', answer: place.answer }
      }
      if (place.state === 'made') {
        const attempt = this.#attempt(claim, { at, token, askedAt, isMade: true })
        return { kind: 'made', made: place.made, attempt }
      }
      // Nobody needs the lease of an attempt that is over.
      await this.#within(() => store.remove(leaseKey(key, at)))
      if (place.state === 'freed') return 'running'
      at = place.token
    }
  }

  #attempt(
    { key, binding }: Claim,
    given: { at: string; token: string; askedAt: number; isMade?: boolean },
  ): Attempt<Made, Answer> {
    const { at, token, askedAt, isMade = false } = given
    const heldUntil = askedAt + this.#settings.claimMs
    return new Attempt(this.#settings, { key, binding, at, token, heldUntil, isMade })
  }

  /** The id is bound after the payment: a request with both of another is refused whichever it finds first. */
  async #bindId<Begins extends Begun<Made, Answer> & { readonly attempt: Attempt<Made, Answer> }>(
    { id }: Claim,
    found: Begins,
  ): Promise<Begins | Begun<Made, Answer>> {
    if (!id) return found
    const { attempt } = found
    const { keepMs } = this.#settings
    try {
      const holder = await this.#putIfAbsent(id.key, id.value, keepMs)
      if (holder === undefined || holder === id.value) {
        // An earlier request may have settled it: only the one that has bound the id may free it.
        attempt.bind({ ...id, isNew: holder === undefined } satisfies BoundId)
        return found
      }
    } catch (error) {
      await attempt.release('open')
      throw error
    }
    await attempt.release('open')
    return refused('identifier_conflict')
  }

  #lease(key: string, at: string, token: string): Promise<string | undefined> {
    return this.#putIfAbsent(leaseKey(key, at), token, this.#settings.claimMs)
  }

  #putIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    return this.#within(() => this.#settings.store.putIfAbsent(key, value, ttlMs))
  }

  #within<T>(work: () => Promise<T>): Promise<T> {
    return withTimeLimit({ clock: this.#settings.clock, ms: STORE_MS }, work)
  }
}

const refused = (reason: Refusal) => ({ kind: 'refused', reason }) as const
