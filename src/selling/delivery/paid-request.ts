import { createHash } from 'node:crypto'
import { decodePaymentSignatureHeader } from '@x402/core/http'
import {
  type PaymentIdentifier,
  paymentIdentifierOf,
} from '../../payments/protocol/payment-identifier.ts'
import { canonicalHash } from '../../platform/core/text/canonical-json.ts'
import { paymentKey } from './payment-key.ts'

/** A request as every framework can show it. */
export interface DeliveryRequest {
  readonly method: string
  /** Path and query. Not the host: a proxy may name another process in it. */
  readonly url: string
  /** By its name in lower case. */
  header(name: string): string | undefined
  /** The body, which the handler can still read afterwards; undefined when it has more than `maxBytes`. */
  body(maxBytes: number): Promise<Uint8Array | undefined>
  /** Aborts when the caller has left. */
  readonly signal?: AbortSignal
}

/** The payment of a request, not verified. */
export interface RequestPayment {
  readonly id: PaymentIdentifier
  /** Digest of the whole payload. */
  readonly digest: string
  /** In a store. */
  readonly key: string
}

/** Undefined for a request without a payment that a stock server can read. */
export function paymentOf({ header }: Pick<DeliveryRequest, 'header'>): RequestPayment | undefined {
  // In the order of the stock servers. X-PAYMENT is of x402 version 1.
  const encoded = header('payment-signature') || header('x-payment')
  if (!encoded) return undefined
  let payload: unknown
  try {
    payload = decodePaymentSignatureHeader(encoded)
  } catch {
    return undefined
  }
  if (typeof payload !== 'object' || payload === null) return undefined
  const signed: unknown = Reflect.get(payload, 'payload') ?? payload
  return {
    id: paymentIdentifierOf(Reflect.get(payload, 'extensions')),
    digest: canonicalHash(payload),
    key: paymentKey(signed),
  }
}

interface Bound {
  readonly payment: RequestPayment
  readonly request: DeliveryRequest
  readonly body: Uint8Array
  /** Of the server that got it. */
  readonly scope: string
}

/** What a repeat must have in common with the first request. */
export const bindingOf = ({
  payment: { digest },
  request: { method, url },
  body,
  scope,
}: Bound): string =>
  canonicalHash([scope, digest, method, url, createHash('sha256').update(body).digest('hex')])
