import { onTestFinished } from 'vitest'
import type { Answer } from '../../../../src/selling/delivery/answer.ts'
import { type Begun, Deliveries } from '../../../../src/selling/delivery/deliveries.ts'
import type { Delivery } from '../../../../src/selling/delivery/delivery.ts'
import { MemoryDeliveryStore } from '../../../../src/selling/delivery/memory-store.ts'
import type { DeliveryOptions } from '../../../../src/selling/delivery/options.ts'
import type { DeliveryRequest } from '../../../../src/selling/delivery/paid-request.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

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

function wanted({ signed = 'AAAA', id, ...wish }: Wish = {}): DeliveryRequest {
  const extensions = id === undefined ? {} : { 'payment-identifier': { info: { id } } }
  const payment = encoded({ x402Version: 2, payload: { transaction: signed }, extensions })
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
    const deliveries = new Deliveries({ ...shared, ...own })
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
