import { decodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload } from '@x402/core/types'

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

/** The payment of a request, not verified; undefined for a request without one that a stock server can read. */
export function paymentOf({ header }: Pick<DeliveryRequest, 'header'>): PaymentPayload | undefined {
  // In the order of the stock servers. X-PAYMENT is of x402 version 1.
  const encoded = header('payment-signature') || header('x-payment')
  if (!encoded) return undefined
  try {
    const payment = decodePaymentSignatureHeader(encoded)
    return typeof payment === 'object' && payment !== null ? payment : undefined
  } catch {
    return undefined
  }
}

/** What extensions of a stock server ask of a request whose payment it settles. */
export function transportOf({ method, url, header }: DeliveryRequest) {
  const path = url.replace(/\?.*$/, '')
  const read = (name: string) => header(name.toLowerCase())
  return {
    request: {
      adapter: {
        getHeader: read,
        getMethod: () => method,
        getPath: () => path,
        getUrl: () => `http://${header('host') ?? 'localhost'}${url}`,
        getAcceptHeader: () => read('accept') ?? '',
        getUserAgent: () => read('user-agent') ?? '',
      },
      path,
      method,
    },
  }
}
