import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { onTestFinished } from 'vitest'
import type { Answer } from '../../../../../src/selling/delivery/http/answer.ts'
import type { Delivery } from '../../../../../src/selling/delivery/http/delivery.ts'
import {
  type Begun,
  HttpDeliveries,
} from '../../../../../src/selling/delivery/http/http-deliveries.ts'
import type { DeliveryOptions } from '../../../../../src/selling/delivery/http/options.ts'
import type { DeliveryRequest } from '../../../../../src/selling/delivery/http/paid-request.ts'
import { MemoryDeliveryStore } from '../../../../../src/selling/delivery/memory-store.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const encoded = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64')

export const ID = 'pay_0123456789abcdef'
export const OTHER_ID = 'pay_fedcba9876543210'

export interface Wish {
  readonly signed?: string
  readonly id?: unknown
  readonly method?: string
  readonly url?: string
  readonly body?: string
  readonly header?: string
  readonly signal?: AbortSignal
}

const price: PaymentRequirements = {
  scheme: 'exact',
  network: 'stellar:testnet',
  asset: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA',
  amount: '100000',
  payTo: 'GAUYSZLHGZQ2FST3KPBBTSA6WKYAWFMK33AVYS6D6JOADEO7SFNKJNX4',
  maxTimeoutSeconds: 60,
  extra: { areFeesSponsored: true },
}

export const paymentOf = (signed: string, id?: unknown): PaymentPayload => ({
  x402Version: 2,
  accepted: price,
  payload: { transaction: signed },
  extensions: id === undefined ? {} : { 'payment-identifier': { info: { id } } },
})

export function wanted({ signed = 'AAAA', id, ...wish }: Wish = {}): DeliveryRequest {
  const payment = encoded(paymentOf(signed, id))
  const { method = 'POST', url = '/goods?n=1', body = 'two', signal } = wish
  return {
    method,
    url,
    header: (name) => (name === (wish.header ?? 'payment-signature') ? payment : undefined),
    body: async (maxBytes) =>
      body.length > maxBytes ? undefined : new Uint8Array(Buffer.from(body)),
    ...(signal && { signal }),
  }
}

export const settled = encoded({ success: true, transaction: 'a1', network: 'stellar:testnet' })
export const goods: Answer = {
  status: 200,
  headers: [['payment-response', settled]],
  body: Buffer.from('goods'),
}
export const failed: Answer = { status: 404, headers: [], body: new Uint8Array() }
export const pending: Answer = {
  status: 402,
  headers: [['payment-response', encoded({ success: false, errorReason: 'settlement_pending' })]],
  body: new Uint8Array(),
}

export const refused: Answer = {
  status: 402,
  headers: [['payment-required', encoded({ error: 'invalid_exact_stellar_payload_expired' })]],
  body: new Uint8Array(),
}

export function world(options: Partial<DeliveryOptions> = {}) {
  const clock = new FakeClock()
  const store = new MemoryDeliveryStore({ clock })
  const open: Delivery[] = []
  const shared = { store, scope: 'shop', clock, ...options }
  /** One process of the server. */
  const replica = (own: Partial<DeliveryOptions> = {}) => {
    const deliveries = new HttpDeliveries({ ...shared, ...own })
    return async (wish?: Wish) => {
      const begun = await deliveries.begin(wanted(wish))
      if (begun.kind === 'serve') open.push(begun.delivery)
      return begun
    }
  }
  onTestFinished(async () => {
    for (const delivery of open) await delivery.abandon()
  })
  return { clock, store, replica, begin: replica() }
}

export const served = (begun: Begun): Delivery => {
  if (begun.kind !== 'serve') throw new Error(`not served: ${JSON.stringify(begun)}`)
  return begun.delivery
}

export const shown = (begun: Begun) =>
  begun.kind === 'answer'
    ? `${begun.answer.status} ${JSON.parse(Buffer.from(begun.answer.body).toString()).error}`
    : begun.kind
