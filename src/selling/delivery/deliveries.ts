import { randomUUID } from 'node:crypto'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import type { Answer } from './answer.ts'
import { Delivery } from './delivery.ts'
import { decodeRecord, encodeId, encodeRecord } from './delivery-record.ts'
import { type DeliveryOptions, type DeliverySettings, settingsOf } from './options.ts'
import { bindingOf, type DeliveryRequest, paymentOf, type RequestPayment } from './paid-request.ts'
import { type RefusalCode, refusal } from './refusals.ts'

export type Begun =
  /** The request carries no payment: serve it as if this were not there. */
  | { readonly kind: 'unpaid' }
  /** Send this, and serve nothing. */
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** Serve the request, and tell the delivery of the answer before that is sent. */
  | { readonly kind: 'serve'; readonly delivery: Delivery }

interface Claim {
  readonly key: string
  readonly binding: string
  /** The running record. */
  readonly value: string
}

/** A store that does not answer within this time is not available. */
const STORE_MS = 5_000
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 500

/**
 * Decides for each request, before its payment is verified, whether it is served or answered as before (specs/extensions/
 * payment_identifier.md, Recovering a lost response). A payment is claimed by its signed part and by its id: of all requests
 * that have one of them, in any process on the store, one at a time is served, and after it was delivered none.
 */
export class Deliveries {
  readonly #settings: DeliverySettings
  /** Repeats of a payment that wait in this process, by the key of the payment. */
  readonly #waiting = new Map<string, number>()

  constructor(options: DeliveryOptions) {
    this.#settings = settingsOf(options)
  }

  /** @throws the reason of the request's signal, when the caller leaves while it waits */
  async begin(request: DeliveryRequest): Promise<Begun> {
    const { idRequired, maxRequestBytes, scope } = this.#settings
    const payment = paymentOf(request)
    if (!payment) return { kind: 'unpaid' }
    const { id, key } = payment
    if (id.kind === 'malformed') return refuse('payment_identifier_invalid')
    if (id.kind === 'absent' && idRequired) return refuse('payment_identifier_required')
    const body = await request.body(maxRequestBytes)
    if (!body) return refuse('request_too_large')

    const binding = bindingOf({ payment, request, body, scope })
    const value = encodeRecord({ state: 'running', binding, owner: randomUUID() })
    try {
      const found = await this.#claim({ key, binding, value }, request.signal)
      return found === 'claimed' ? await this.#serve(payment, { key, binding, value }) : found
    } catch (error) {
      request.signal?.throwIfAborted()
      // Nothing is settled yet, and what the store knows may be that the goods were delivered.
      this.#settings.onError(error)
      return refuse('delivery_store_unavailable')
    }
  }

  async #claim(claim: Claim, signal?: AbortSignal): Promise<'claimed' | Begun> {
    const { clock, waitMs, maxWaiting } = this.#settings
    const { key } = claim
    let found = await this.#tryClaim(claim)
    if (found !== 'running') return found
    const waiting = this.#waiting.get(key) ?? 0
    if (waiting >= maxWaiting) return refuse('payment_in_progress')
    this.#waiting.set(key, waiting + 1)
    try {
      const end = clock.monotonic() + waitMs
      for (let pauseMs = FIRST_PAUSE_MS; found === 'running'; pauseMs *= 1.5) {
        if (clock.monotonic() >= end) return refuse('payment_in_progress')
        await clock.sleep(Math.min(pauseMs, MAX_PAUSE_MS), signal)
        found = await this.#tryClaim(claim)
      }
      return found
    } finally {
      const others = (this.#waiting.get(key) ?? 1) - 1
      if (others > 0) this.#waiting.set(key, others)
      else this.#waiting.delete(key)
    }
  }

  async #tryClaim({ key, binding, value }: Claim): Promise<'claimed' | 'running' | Begun> {
    const { store, claimMs } = this.#settings
    const found = await this.#within(() => store.putIfAbsent(key, value, claimMs))
    if (found === undefined) return 'claimed'
    const record = decodeRecord(found)
    if (record.state === 'elsewhere' || record.binding !== binding) {
      return refuse('payment_identifier_conflict')
    }
    return record.state === 'running' ? 'running' : { kind: 'answer', answer: record.answer }
  }

  /** The id is bound after the payment: a request with both of another is refused whichever it finds first. */
  async #serve({ id, digest }: RequestPayment, claim: Claim): Promise<Begun> {
    const { store, scope, keepMs } = this.#settings
    if (id.kind !== 'given') {
      return { kind: 'serve', delivery: new Delivery(this.#settings, claim) }
    }
    const key = `x402:id:${scope}:${id.id}`
    const value = encodeId(digest)
    const bound = await this.#within(() => store.putIfAbsent(key, value, keepMs))
    if (bound === undefined || bound === value) {
      // An earlier request may have settled it: only the one that has bound the id may free it.
      const boundId = { key, value, isNew: bound === undefined }
      return { kind: 'serve', delivery: new Delivery(this.#settings, claim, boundId) }
    }
    await this.#within(() => store.remove(claim.key))
    return refuse('payment_identifier_conflict')
  }

  #within<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#settings
    return withTimeLimit({ clock, ms: STORE_MS }, work)
  }
}

const refuse = (code: RefusalCode): Begun => ({ kind: 'answer', answer: refusal(code) })
