/** How a payment declares the resource that it pays for: the `bazaar` extension of x402 version 2. */
import type { PaymentRequest } from './protocol.ts'

/** The extension of the catalog, by its key in `extensions`. */
export const BAZAAR = 'bazaar'

/** A declaration as it arrives, unchecked: of a payment, or of an origin's 402 response. */
export interface RawDeclaration {
  /** `ResourceInfo` of the payment or of the 402 response. */
  readonly resource: unknown
  /** `extensions.bazaar`. */
  readonly bazaar: unknown
  /** Keys of all extensions that came with it. */
  readonly extensionKeys: readonly string[]
  /** The payment requirements, or the entries of `accepts`, that lead to one payee on one network. */
  readonly accepts: readonly unknown[]
  /** It is longer than `MAX_DECLARATION_BYTES`, so all but the URL of its resource was left out: it is rejected. */
  readonly isTooLarge?: true
  /** The protocol version of the payment or of the 402 response. Absent: 2, since no other version reaches this code. */
  readonly x402Version?: unknown
}

/** Limit of the JSON text, in UTF-8. Payments store it, so it must not be much longer than their envelopes. */
const MAX_DECLARATION_BYTES = 65_536

/** Longer URLs are left out of a declaration that is too large. */
const MAX_URL_LENGTH = 2_048

/** Whether a payment carries the extension, whatever its value. */
export const declaresResource = ({ paymentPayload }: PaymentRequest): boolean =>
  isObject(paymentPayload.extensions) && Object.hasOwn(paymentPayload.extensions, BAZAAR)

/**
 * The declaration of a payment as JSON text of `RawDeclaration`; undefined when it carries none. Of other extensions
 * only the keys are kept: their values may be identifiers and proofs. Every character beyond the reach of a database
 * is escaped, as `JSON.stringify` does.
 *
 * The price is what the buyer accepted. With the scheme `upto` that is the ceiling, which the resource asks for, while the
 * requirements of a settlement name the amount that was used.
 */
export function declarationOf(request: PaymentRequest): string | undefined {
  if (!declaresResource(request)) return undefined
  const { resource, extensions, accepted } = request.paymentPayload
  const text = textOf({
    resource,
    bazaar: Reflect.get(Object(extensions), BAZAAR),
    extensionKeys: Object.keys(Object(extensions)),
    accepts: [{ ...request.paymentRequirements, amount: accepted.amount }],
  })
  if (Buffer.byteLength(text) <= MAX_DECLARATION_BYTES) return text
  const url = resourceUrlOf(request)
  return textOf({
    resource: url !== undefined && url.length <= MAX_URL_LENGTH ? { url } : null,
    bazaar: null,
    extensionKeys: [BAZAAR],
    accepts: [],
    isTooLarge: true,
  })
}

/** Reads the text of `declarationOf`. */
export const parseDeclaration = (text: string): RawDeclaration => JSON.parse(text)

/** The URL of what is paid for, when the payment names one. */
export function resourceUrlOf({
  paymentPayload: { resource },
}: PaymentRequest): string | undefined {
  const url = isObject(resource) ? Reflect.get(resource, 'url') : undefined
  return typeof url === 'string' ? url : undefined
}

const textOf = (declaration: RawDeclaration): string => JSON.stringify(declaration)

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
