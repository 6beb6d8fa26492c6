import type { Attempt } from '../attempt.ts'
import {
  type Answer,
  type AnswerHead,
  type KeptAnswer,
  keptAnswer,
  outcomeOf,
  receiptAlone,
} from './answer.ts'
import type { Settlement } from './settlements.ts'

/** What a handler answered, and how it is settled. JSON. */
export interface MadeAnswer {
  readonly answer: KeptAnswer
  readonly requirements: Settlement[1]
  readonly extensions?: Settlement[2]
  readonly overrides?: Settlement[4]
}

interface DeliveryDeps {
  readonly attempt: Attempt<MadeAnswer, KeptAnswer>
  /** A larger body is not kept. */
  readonly maxAnswerBytes: number
  /** Ends what tells of settlements. */
  readonly unwatch: () => void
}

/** The one request that is served for a payment: exactly one of the three last functions has to be called, once. */
export class Delivery {
  readonly #deps: DeliveryDeps
  #headOfHeld: (() => AnswerHead) | undefined

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
  }

  /** A larger body is not kept. */
  get maxAnswerBytes(): number {
    return this.#deps.maxAnswerBytes
  }

  /** How to read the head of an answer that a stock server holds back until it has settled the payment. */
  showHeld(head: () => AnswerHead): void {
    this.#headOfHeld = head
  }

  /**
   * Stores the answer that is about to be settled. Nothing is stored of one that is too large, of a stream, and in a flow that settles before
   * the handler runs.
   *
   * @throws Error when another process may serve the request by now: nothing may be settled here
   */
  async keep([_payment, requirements, extensions, context, overrides]: Settlement): Promise<void> {
    const { attempt, maxAnswerBytes } = this.#deps
    const { responseBody: body, responseHeaders } = Object(context) as {
      readonly responseBody?: Uint8Array
      readonly responseHeaders?: object
    }
    const held = this.#headOfHeld?.()
    if (!(body instanceof Uint8Array) || body.length > maxAnswerBytes) return
    if (!held || held.status >= 400) return
    const names = new Set(held.headers.map(([name]) => name))
    const others = Object.entries(responseHeaders ?? {}).flatMap(([name, value]) =>
      names.has(name.toLowerCase()) || value === undefined
        ? []
        : [[name.toLowerCase(), String(value)] as const],
    )
    const headers = [...held.headers, ...others]
    const answer = keptAnswer({ status: held.status, headers, body })
    const isKept = await attempt.keep({
      answer,
      requirements,
      ...(extensions && { extensions }),
      ...(overrides && { overrides }),
    })
    if (!isKept) throw new Error('payment_in_progress')
  }

  /** To be called before the answer is sent. */
  async complete(answer: Answer): Promise<void> {
    const isKept = answer.body.length <= this.maxAnswerBytes
    await this.#end(answer, isKept ? answer : receiptAlone(answer))
  }

  /** The same of an answer that is sent while it is made, or that is too large. */
  async completeByReceipt(head: AnswerHead): Promise<void> {
    await this.#end(head, receiptAlone(head))
  }

  /** There is no answer, because the server failed. A repeat is served anew; the id stays with its payment. */
  async abandon(): Promise<void> {
    this.#deps.unwatch()
    await this.#deps.attempt.release('open')
  }

  async #end(sent: AnswerHead, kept: Answer): Promise<void> {
    const { attempt, unwatch } = this.#deps
    unwatch()
    const outcome = outcomeOf(sent)
    await (outcome === 'delivered' ? attempt.answer(keptAnswer(kept)) : attempt.release(outcome))
  }
}
