import { randomUUID } from 'node:crypto'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { Attempt, type BoundId } from './attempt.ts'
import type { Claim } from './claim.ts'
import { type ClaimSettings, STORE_MS } from './options.ts'
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

/** A request on its way to become an attempt. */
interface Candidate {
  readonly claim: Claim
  readonly token: string
  /** The root that it has found or stored, as the store has it. */
  readonly root: string
  /** When it asked for the root, on the monotonic clock. */
  readonly askedAt: number
}

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
    const askedAt = this.#settings.clock.monotonic()
    const token = randomUUID()
    const root = encodeRoot({ state: 'begun', binding, token })
    const found = await this.#putIfAbsent(key, root, keepMs)
    if (found === undefined) return this.#lead({ claim, token, root, askedAt })
    const record: Root<Answer> = decodeRoot(found)
    if (record.binding !== binding) return refused('payment_conflict')
    if (record.state === 'answered') return { kind: 'answered', answer: record.answer }
    return this.#follow({ claim, token, root: found, askedAt }, record.token)
  }

  /** The attempt with this token is the last one: nobody else has begun after it. */
  async #lead(candidate: Candidate): Promise<Found<Made, Answer>> {
    const { claim, token, askedAt } = candidate
    const { clock, claimMs } = this.#settings
    const holder = await this.#lease(claim.key, token, token)
    // Somebody has found it without a lease, and takes over, or had the time to.
    if (holder !== undefined || clock.monotonic() >= askedAt + claimMs) return 'running'
    return { kind: 'new', attempt: this.#attempt(candidate, token) }
  }

  /** Whoever finds an attempt without a lease takes the lease: to settle what it made, or to take over. */
  async #follow(candidate: Candidate, first: string): Promise<Found<Made, Answer>> {
    const { claim, token, root } = candidate
    const { key } = claim
    const { keepMs, store } = this.#settings
    for (let at = first; ; ) {
      if ((await this.#lease(key, at, token)) !== undefined) return 'running'
      const passed = encodePlace({ state: 'passed', token })
      const found = await this.#putIfAbsent(placeKey(key, at), passed, keepMs)
      if (found === undefined) {
        // Since the root was read, the attempt may have ended, and left no place: then the root is another one.
        const now = (await this.#putIfAbsent(key, root, keepMs)) ?? root
        return now === root ? this.#lead(candidate) : 'running'
      }
      const place = decodePlace<Made, Answer>(found)
      if (place.state === 'answered') {
        // Its process ended before it wrote the root.
        await this.#within(() => store.put(key, encodeRoot(place), keepMs))
        return { kind: 'answered', answer: place.answer }
      }
      if (place.state === 'made') {
        return { kind: 'made', made: place.made, attempt: this.#attempt(candidate, at, found) }
      }
      // Nobody waits for the end of this lease.
      await this.#within(() => store.remove(leaseKey(key, at), token))
      if (place.state === 'freed') {
        // Its process may have ended before it removed the root.
        await this.#within(() => store.remove(key, root))
        return 'running'
      }
      if (place.state === 'settling') return 'running'
      at = place.token
    }
  }

  #attempt(
    { claim, token, root, askedAt }: Candidate,
    at: string,
    placed?: string,
  ): Attempt<Made, Answer> {
    const { key, binding } = claim
    const heldUntil = askedAt + this.#settings.claimMs
    const state = { key, binding, root, at, token, heldUntil }
    return new Attempt(this.#settings, placed === undefined ? state : { ...state, placed })
  }

  /** The id is bound after the payment: a request with both of another is refused whichever it finds first. */
  async #bindId<Begins extends Begun<Made, Answer> & { readonly attempt: Attempt<Made, Answer> }>(
    { id }: Claim,
    found: Begins,
  ): Promise<Begins | Begun<Made, Answer>> {
    if (!id) return found
    const { attempt } = found
    const { keepMs, store } = this.#settings
    try {
      const holder = await this.#within(() => store.putIfAbsent(id.key, id.value, keepMs))
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

  /** Resolves with the value of another attempt: a write whose answer was lost, and that was sent again, finds its own. */
  async #putIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined> {
    const { store } = this.#settings
    const found = await this.#within(() => store.putIfAbsent(key, value, ttlMs))
    return found === value ? undefined : found
  }

  #within<T>(work: () => Promise<T>): Promise<T> {
    return withTimeLimit({ clock: this.#settings.clock, ms: STORE_MS }, work)
  }
}

const refused = (reason: Refusal) => ({ kind: 'refused', reason }) as const
