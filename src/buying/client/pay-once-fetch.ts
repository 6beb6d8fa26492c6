import {
  newPaymentIdentifier,
  offersPaymentIdentifier,
  paymentIdentifierOf,
  withPaymentIdentifier,
} from '../../payments/protocol/payment-identifier.ts'

/** Keeps payments whose answer is not there yet. It must outlive the process: a file, a database, `localStorage`. */
export interface PaymentStore {
  get(key: string): Promise<string | null | undefined> | string | null | undefined
  /** Resolves once the value is kept: then the payment is sent. */
  put(key: string, value: string): Promise<void> | void
  remove(key: string): Promise<void> | void
}

/**
 * An earlier payment for the same request may have been made, or may still be, and the seller does not answer it. No other is sent until
 * `key` is removed from the store: remove it when the ledger shows that the payment was made, or that it expired unused.
 */
export class PaymentStillOpen extends Error {
  override readonly name = 'PaymentStillOpen'
  readonly key: string
  /** The payment, as the header `PAYMENT-SIGNATURE` has it. */
  readonly payment: string
  /** The seller's answer to it this time; undefined when it was not sent. */
  readonly response: Response | undefined

  constructor(key: string, payment: string, response?: Response) {
    super(`an earlier payment for ${key} has no answer`)
    this.key = key
    this.payment = payment
    this.response = response
  }
}

type Fetch = typeof globalThis.fetch

/**
 * A `fetch` for `wrapFetchWithPayment` of `@x402/fetch`. It gives each payment an identifier where the seller knows them, keeps it in the store
 * before it sends it, and forgets it when its answer is there, with the whole body. When that was lost, the next request of the same method, URL and body sends
 * the same payment, and pays nothing more. So a paid answer is read before it is returned, and is no stream. A payment is sent to its own URL alone: a redirect is an error.
 *
 * @throws PaymentStillOpen, what `fetch` throws, and what the store throws: then nothing is sent
 */
export function payOnceFetch(store: PaymentStore, fetch: Fetch = globalThis.fetch): Fetch {
  const send = async (request: Request, key: string, payment: string): Promise<Response> => {
    const headers = new Headers(request.headers)
    headers.set(PAYMENT, payment)
    const response = await fetch(new Request(request, { headers, redirect: 'error' }))
    if (!isPaid(response)) return response
    const whole = await wholeOf(response)
    await store.remove(key)
    return whole
  }
  return async (input, init) => {
    const request = new Request(input, init)
    const key = await keyOf(request)
    const made = request.headers.get(PAYMENT)
    const open = await store.get(key)
    if (made !== null) {
      if (open) throw new PaymentStillOpen(key, open)
      const payment = identified(made)
      await store.put(key, payment)
      return send(request, key, payment)
    }
    if (!open) return fetch(request)
    if (paymentIdentifierOf(decoded(open)['extensions']).kind !== 'given') {
      throw new PaymentStillOpen(key, open)
    }
    const response = await send(request, key, open)
    if (isPaid(response)) return response
    throw new PaymentStillOpen(key, open, response)
  }
}

const PAYMENT = 'payment-signature'

/** The answer with its body in memory. Throws when it breaks off. */
async function wholeOf(response: Response): Promise<Response> {
  const { body, status, statusText, headers, url } = response
  if (body === null) return response
  const whole = new Response(await response.arrayBuffer(), { status, statusText, headers })
  // A response that is made has no URL.
  return Object.defineProperty(whole, 'url', { value: url })
}

/** Method and URL, as they are sent, and a digest of the body. */
async function keyOf(request: Request): Promise<string> {
  const body = await request.clone().arrayBuffer()
  const [url = ''] = request.url.split('#')
  const name = `${request.method.toUpperCase()} ${url}`
  if (body.byteLength === 0) return name
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  return `${name} ${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Adds an id where the seller knows them. The signature does not cover `extensions`, so it still holds. */
function identified(payment: string): string {
  const payload = decoded(payment)
  const extensions = Object(payload['extensions'])
  const isNeeded =
    offersPaymentIdentifier(extensions) && paymentIdentifierOf(extensions).kind === 'absent'
  if (!isNeeded) return payment
  const withId = withPaymentIdentifier(extensions, newPaymentIdentifier())
  return encoded({ ...payload, extensions: withId })
}

function isPaid(response: Response): boolean {
  const result = response.headers.get('payment-response')
  return response.ok && result !== null && decoded(result)['success'] === true
}

/** An empty object for anything but the base64 of one in JSON. */
function decoded(header: string): Readonly<Record<string, unknown>> {
  try {
    const bytes = Uint8Array.from(atob(header), (each) => each.charCodeAt(0))
    return Object(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return {}
  }
}

const encoded = (value: object): string => {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
