import { noLongerNeeded } from '../../platform/core/time/no-longer-needed.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { type Answer, type AnswerHead, keptAnswer, outcomeOf, receiptAlone } from './answer.ts'
import { encodeRecord } from './delivery-record.ts'
import type { DeliverySettings } from './options.ts'

/** A key of the store with the value that this delivery gave it. */
interface Entry {
  readonly key: string
  readonly value: string
}

interface BoundId extends Entry {
  /** Whether this request has bound it, and no earlier one. */
  readonly isNew: boolean
}

/** An answer waits for the store for at most this time: its buyer has paid. */
const KEEP_MS = 5_000
const ATTEMPTS = 3
const PAUSE_MS = 200

/**
 * The one request that is served for a payment. The claim is renewed until the delivery ends: exactly one of the
 * functions has to be called, once.
 */
export class Delivery {
  readonly #settings: DeliverySettings
  readonly #claim: Entry & { readonly binding: string }
  readonly #id: BoundId | undefined
  readonly #end = new AbortController()
  readonly #renewals: Promise<void>
  /** On the monotonic clock. Another process can have the claim from then on. */
  #heldUntil: number

  constructor(
    settings: DeliverySettings,
    claim: Entry & { readonly binding: string },
    id?: BoundId,
  ) {
    this.#settings = settings
    this.#claim = claim
    this.#id = id
    this.#heldUntil = settings.clock.monotonic() + settings.claimMs
    this.#renewals = this.#renew()
  }

  /** A larger body is not kept. */
  get maxAnswerBytes(): number {
    return this.#settings.maxAnswerBytes
  }

  /** To be called before the answer is sent, so that no crash leaves an answer sent and unknown. */
  async complete(answer: Answer): Promise<void> {
    const isKept = answer.body.length <= this.maxAnswerBytes
    await this.#finish(answer, () => (isKept ? keptAnswer(answer) : receiptAlone(answer)))
  }

  /** The same of an answer that is sent while it is made, or that is too large. */
  async completeByReceipt(head: AnswerHead): Promise<void> {
    await this.#finish(head, () => receiptAlone(head))
  }

  /** There is no answer, because the server failed. A repeat is served anew; the id stays with its payment. */
  async abandon(): Promise<void> {
    await this.#finish({ status: 500, headers: [] }, () => undefined)
  }

  async #finish(head: AnswerHead, kept: () => Answer | undefined): Promise<void> {
    this.#end.abort(noLongerNeeded)
    const { store, keepMs, clock, onError } = this.#settings
    const { key, binding } = this.#claim
    const id = this.#id
    try {
      await withTimeLimit({ clock, ms: KEEP_MS }, async (signal) => {
        // A renewal that is still on its way would put the claim in place of the answer.
        await this.#renewals
        const outcome = outcomeOf(head)
        const answer = outcome === 'delivered' ? kept() : undefined
        if (answer) {
          const value = encodeRecord({ state: 'answered', binding, answer })
          await this.#try(() => store.put(key, value, keepMs), signal)
          // It was bound before the handler ran, and has to be for as long as there is an answer.
          if (id) await this.#try(() => store.put(id.key, id.value, keepMs), signal)
          return
        }
        // Another request may be served for the payment now.
        if (this.#isLost) return
        if (id?.isNew && outcome === 'unpaid') await this.#try(() => store.remove(id.key), signal)
        await this.#try(() => store.remove(key), signal)
      })
    } catch (error) {
      onError(error)
    }
  }

  get #isLost(): boolean {
    return this.#settings.clock.monotonic() >= this.#heldUntil
  }

  async #try(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (let left = ATTEMPTS - 1; ; left--) {
      try {
        return await work()
      } catch (error) {
        if (left === 0) throw error
        await this.#settings.clock.sleep(PAUSE_MS, signal)
      }
    }
  }

  /** Ends with the delivery, or when another process has the claim, which it can after this one stood still. */
  async #renew(): Promise<void> {
    const { store, clock, claimMs, maxHandlerMs } = this.#settings
    const { key, value } = this.#claim
    const { signal } = this.#end
    const last = clock.monotonic() + maxHandlerMs
    while (clock.monotonic() < last) {
      try {
        await clock.sleep(claimMs / 3, signal)
      } catch {
        return
      }
      try {
        const askedAt = clock.monotonic()
        const found = await store.putIfAbsent(key, value, claimMs)
        if (found !== undefined && found !== value) {
          this.#heldUntil = 0
          return
        }
        if (found === value && !signal.aborted && !this.#isLost) {
          await store.put(key, value, claimMs)
        }
        this.#heldUntil = askedAt + claimMs
      } catch (error) {
        this.#settings.onError(error)
      }
    }
  }
}
