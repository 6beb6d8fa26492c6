import { createHash } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import { paymentIdentifierOf } from '../../../payments/protocol/payment-identifier.ts'
import { provesUnsent } from '../../../payments/protocol/unsettled.ts'
import { claimOf } from '../claim.ts'
import { type Begun as BegunClaim, Deliveries, type Refusal } from '../deliveries.ts'
import { settleToVerdict } from '../settle.ts'
import { type Answer, type KeptAnswer, notSettled, sentAgain, withReceipt } from './answer.ts'
import { Delivery, type MadeAnswer } from './delivery.ts'
import { type DeliveryOptions, type DeliverySettings, settingsOf } from './options.ts'
import { type DeliveryRequest, paymentOf, transportOf } from './paid-request.ts'
import { type RefusalCode, refusal } from './refusals.ts'
import { Settlements } from './settlements.ts'

export type Begun =
  /** The request carries no payment: serve it as if this were not there. */
  | { readonly kind: 'unpaid' }
  /** Send this, and serve nothing. */
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** Serve the request, and tell the delivery of the answer before that is sent. */
  | { readonly kind: 'serve'; readonly delivery: Delivery }

type Made = Extract<BegunClaim<MadeAnswer, KeptAnswer>, { kind: 'made' }>

const codes: Readonly<Record<Refusal, RefusalCode>> = {
  payment_conflict: 'payment_identifier_conflict',
  identifier_conflict: 'payment_identifier_conflict',
  in_progress: 'payment_in_progress',
  store_unavailable: 'delivery_store_unavailable',
}

/** Delivers once over HTTP, around a stock server. */
export class HttpDeliveries {
  readonly #settings: DeliverySettings
  readonly #deliveries: Deliveries<MadeAnswer, KeptAnswer>
  readonly #settlements: Settlements | undefined

  constructor(options: DeliveryOptions) {
    this.#settings = settingsOf(options)
    this.#deliveries = new Deliveries(this.#settings)
    this.#settlements = options.resources && new Settlements(options.resources)
  }

  /** @throws the reason of the request's signal, when the caller leaves while it waits */
  async begin(request: DeliveryRequest): Promise<Begun> {
    const { idRequired, maxRequestBytes, maxAnswerBytes, scope } = this.#settings
    const payment = paymentOf(request)
    if (!payment) return { kind: 'unpaid' }
    const identifier = paymentIdentifierOf(payment.extensions)
    if (identifier.kind === 'malformed') return refuse('payment_identifier_invalid')
    if (identifier.kind === 'absent' && idRequired) return refuse('payment_identifier_required')
    const body = await request.body(maxRequestBytes)
    if (!body) return refuse('request_too_large')

    const id = identifier.kind === 'given' ? identifier.id : undefined
    const { method, url, signal } = request
    const bought = [method, url, createHash('sha256').update(body).digest('hex')]
    const claim = claimOf({ scope, payment, id, bought })
    const begun = await this.#deliveries.begin(claim, signal)
    switch (begun.kind) {
      case 'refused':
        return refuse(codes[begun.reason])
      case 'answered':
        return { kind: 'answer', answer: sentAgain(begun.answer) }
      case 'made':
        return { kind: 'answer', answer: await this.#settle(begun, payment, request) }
      case 'new': {
        const { attempt } = begun
        const settlements = this.#settlements
        const delivery = new Delivery({ key: claim.key, attempt, maxAnswerBytes, settlements })
        return { kind: 'serve', delivery }
      }
    }
  }

  /** Gives the answer of a handler whose process has ended, once it is paid for. */
  async #settle(
    { made, attempt }: Made,
    payment: PaymentPayload,
    request: DeliveryRequest,
  ): Promise<Answer> {
    const { clock, onError } = this.#settings
    const { requirements, extensions, overrides } = made
    const settle = this.#settlements?.settle
    if (!settle) {
      await attempt.release('open')
      onError(new Error('An answer cannot be settled without `resources`, with which it was made.'))
      return refusal('payment_in_progress')
    }
    const receipt = await settleToVerdict(
      () => settle(payment, requirements, extensions, transportOf(request), overrides),
      { network: requirements.network, clock, onError },
    )
    if (!receipt.success) {
      await attempt.release(provesUnsent(receipt.errorReason ?? '') ? 'unpaid' : 'open')
      return notSettled(receipt)
    }
    const answer = withReceipt(made.answer, receipt)
    await attempt.answer(answer)
    return sentAgain(answer)
  }
}

const refuse = (code: RefusalCode): Begun => ({ kind: 'answer', answer: refusal(code) })
