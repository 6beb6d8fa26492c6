import type { PaymentPayload } from '@x402/core/types'
import { canonicalHash } from '../../platform/core/text/canonical-json.ts'
import { readClientEnvelope } from '../../stellar/transactions/client-envelope.ts'

/** A payment, and what it is to pay for. */
export interface Claim {
  /** Of the payment in the store: `paymentKey`. */
  readonly key: string
  /** What a repeat has in common with the first request: a digest. */
  readonly binding: string
  /** The payment's id: its key in the store, and the digest of the only payload that may have it. */
  readonly id: { readonly key: string; readonly value: string } | undefined
}

interface Purchase {
  /** Of the seller that got it. */
  readonly scope: string
  /** As the buyer sent it, and not verified. */
  readonly payment: PaymentPayload
  /** Of the extension `payment-identifier`. */
  readonly id: string | undefined
  /** What is bought: JSON. */
  readonly bought: readonly unknown[]
}

export function claimOf({ scope, payment, id, bought }: Purchase): Claim {
  const digest = canonicalHash(payment)
  return {
    key: paymentKey(payment),
    binding: canonicalHash([scope, digest, ...bought]),
    id: id === undefined ? undefined : { key: idKey(scope, payment, id), value: digest },
  }
}

/**
 * The key of a payment in a store, whatever it buys: over HTTP from any host of the seller, or a tool. It has the network and the
 * part of the payload that the scheme signs, of which the network takes one. Nobody signs the rest, which includes the id: with that in
 * the key, a buyer could change it, and have one payment served twice.
 */
export const paymentKey = (payment: PaymentPayload): string =>
  `x402:payment:${canonicalHash([networkOf(payment), payment.payload ?? payment])}`

/** One id may stand for different purchases with other sellers, payees, payers and networks. */
const idKey = (scope: string, payment: PaymentPayload, id: string): string => {
  const payee = payment.accepted?.payTo
  return `x402:id:${canonicalHash([scope, networkOf(payment), payee, signersOf(payment), id])}`
}

/** In version 1 of x402 it stands beside the payload. */
const networkOf = (payment: PaymentPayload): unknown =>
  payment.accepted?.network ?? Reflect.get(payment, 'network')

/** The accounts that sign a Stellar payment: its payer. None for what cannot be read, which no facilitator verifies. */
function signersOf({ payload }: PaymentPayload): readonly string[] {
  const transaction: unknown = payload?.['transaction']
  if (typeof transaction !== 'string') return []
  try {
    return readClientEnvelope(transaction).operations.flatMap(({ invocation }) =>
      (invocation?.auth ?? []).flatMap((entry) =>
        entry.credentials === 'sourceAccount' ? [] : [entry.address],
      ),
    )
  } catch {
    return []
  }
}
