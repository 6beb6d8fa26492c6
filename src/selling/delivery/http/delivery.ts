import type { Attempt } from '../attempt.ts'
import {
  type Answer,
  type AnswerHead,
  type KeptAnswer,
  keptAnswer,
  outcomeOf,
  receiptAlone,
} from './answer.ts'
import type { Settlement, Settlements, SettlementWatch } from './settlements.ts'

/** What a handler answered, and how it is settled. JSON. */
export interface MadeAnswer {
  readonly answer: KeptAnswer
  readonly requirements: Settlement[1]
  readonly extensions?: Settlement[2]
  readonly overrides?: Settlement[4]
}

interface DeliveryDeps {
  /** Of the payment. */
  readonly key: string
  readonly attempt: Attempt<MadeAnswer, KeptAnswer>
  /** A larger body is not kept. */
  readonly maxAnswerBytes: number
  /** Undefined where settlements wait for nothing. */
  readonly settlements: Settlements | undefined
}

/** The one request that is served for a payment: exactly one of the last three functions has to be called, once. */
export class Delivery implements SettlementWatch {
  readonly #deps: DeliveryDeps
  #headOfHeld: (() => AnswerHead) | undefined

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
  }

  /** A larger body is not kept. */
  get maxAnswerBytes(): number {
    return this.#deps.maxAnswerBytes
  }

  get key(): string {
    return this.#deps.key
  }

  /** Runs what serves the request. A settlement that comes of it is the one of this delivery. */
  run<T>(serve: () => T): T {
    const { settlements } = this.#deps
    return settlements ? settlements.run(this, serve) : serve()
  }

  /** How to read the head of an answer that a stock server holds back until it has settled the payment. */
  showHeld(head: () => AnswerHead): void {
    this.#headOfHeld = head
  }

  /**
   * Stores the answer that is about to be settled. Nothing is stored of one that is too large, of a stream, and in a flow that settles before
   * the handler runs; then it is made sure that nobody else serves the request.
   *
   * @throws Error when another request with the payment may be served by now: nothing may be settled here
   */
  async before(settlement: Settlement): Promise<void> {
    const { attempt } = this.#deps
    const made = this.#made(settlement)
    if (!(made ? await attempt.keep(made) : await attempt.hold())) {
      throw new Error('payment_in_progress')
    }
  }

  /** Undefined for an answer that cannot be kept. */
  #made([_payment, requirements, extensions, context, overrides]: Settlement):
    | MadeAnswer
    | undefined {
    const { maxAnswerBytes } = this.#deps
    const { responseBody: body, responseHeaders } = Object(context) as {
      readonly responseBody?: Uint8Array
      readonly responseHeaders?: object
    }
    const held = this.#headOfHeld?.()
    if (!(body instanceof Uint8Array) || body.length > maxAnswerBytes) return undefined
    if (!held || held.status >= 400) return undefined
    const names = new Set(held.headers.map(([name]) => name))
    const others = Object.entries(responseHeaders ?? {}).flatMap(([name, value]) =>
      names.has(name.toLowerCase()) || value === undefined
        ? []
        : [[name.toLowerCase(), String(value)] as const],
    )
    const headers = [...held.headers, ...others]
    const answer = keptAnswer({ status: held.status, headers, body })
    return {
      answer,
      requirements,
      ...(extensions && { extensions }),
      ...(overrides && { overrides }),
    }
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
    await this.#deps.attempt.release('open')
  }

  async #end(sent: AnswerHead, kept: Answer): Promise<void> {
    const { attempt } = this.#deps
    const outcome = outcomeOf(sent)
    await (outcome === 'delivered' ? attempt.answer(keptAnswer(kept)) : attempt.release(outcome))
  }
}
