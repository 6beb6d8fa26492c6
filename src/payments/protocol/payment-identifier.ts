/**
 * The extension `payment-identifier` of x402 version 2 (specs/extensions/payment_identifier.md): a buyer gives a payment an
 * id and repeats it with each further attempt, so that one purchase is paid for once.
 */

/** Its key in `extensions`. */
export const PAYMENT_IDENTIFIER = 'payment-identifier'

/** 16 to 128 letters, digits, hyphens and underscores. */
const identifier = /^[A-Za-z0-9_-]{16,128}$/

export const isPaymentIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && identifier.test(value)

export type PaymentIdentifier =
  /** The payment has not the extension, or its buyer gave no id. */
  | { readonly kind: 'absent' }
  /** The buyer gave something that is no id. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'given'; readonly id: string }

/** The id in the `extensions` of a payment payload, which may be any JSON. */
export function paymentIdentifierOf(extensions: unknown): PaymentIdentifier {
  const id = member(member(member(extensions, PAYMENT_IDENTIFIER), 'info'), 'id')
  if (id === undefined || id === null) return { kind: 'absent' }
  return isPaymentIdentifier(id) ? { kind: 'given', id } : { kind: 'malformed' }
}

/** Whether the `extensions` of a seller's offer demand an id; they may be any JSON. */
export const requiresPaymentIdentifier = (extensions: unknown): boolean =>
  member(member(member(extensions, PAYMENT_IDENTIFIER), 'info'), 'required') === true

/** Whether the `extensions` of a seller's offer have the extension; they may be any JSON. */
export const offersPaymentIdentifier = (extensions: unknown): boolean => {
  const offered = member(extensions, PAYMENT_IDENTIFIER)
  return typeof offered === 'object' && offered !== null
}

/** An id for a new payment, in the form that the specification recommends. */
export const newPaymentIdentifier = (): string => `pay_${crypto.randomUUID()}`

/** The `extensions` of a payment under this id: those of the seller's offer, in which the extension names the id. */
export function withPaymentIdentifier(
  extensions: Record<string, unknown>,
  id: string,
): Record<string, unknown> {
  const offered = Object(extensions[PAYMENT_IDENTIFIER])
  const info = { ...Object(offered.info), id }
  return { ...extensions, [PAYMENT_IDENTIFIER]: { ...offered, info } }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
