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
 * The key of a payment in a store, whatever it buys: over HTTP from any host of the seller, or a tool. It has the network and what the
 * network takes once: of a Stellar payment address and nonce of each authorization. Nobody signs the rest, such as the id, and source and fee of the
 * transaction: with that in the key, a buyer could change it, and have one payment served twice.
 */
export const paymentKey = (payment: PaymentPayload): string => {
  const spent = authorizationsOf(payment).map(({ address, nonce }) => [address, String(nonce)])
  const taken = spent.length > 0 ? spent : (payment.payload ?? payment)
  return `x402:payment:${canonicalHash([networkOf(payment), taken])}`
}

/** One id may stand for different purchases with other sellers, payees, payers and networks. */
const idKey = (scope: string, payment: PaymentPayload, id: string): string => {
  const payee = payment.accepted?.payTo
  const payers = authorizationsOf(payment).map(({ address }) => address)
  return `x402:id:${canonicalHash([scope, networkOf(payment), payee, payers, id])}`
}

/** In version 1 of x402 it stands beside the payload. */
const networkOf = (payment: PaymentPayload): unknown =>
  payment.accepted?.network ?? Reflect.get(payment, 'network')

interface Authorization {
  /** Who has signed: the payer. */
  readonly address: string
  /** The ledger accepts each one once per address. */
  readonly nonce: bigint
}

/** The signers of a contract account authorize this call of it. Its nonce is new for each signature, and says nothing of the payment. */
const CHECK = '__check_auth'

/** What is signed in a Stellar payment. None for what cannot be read, which no facilitator verifies. */
function authorizationsOf({ payload }: PaymentPayload): readonly Authorization[] {
  const transaction: unknown = payload?.['transaction']
  if (typeof transaction !== 'string') return []
  try {
    return readClientEnvelope(transaction).operations.flatMap(({ invocation }) =>
      (invocation?.auth ?? []).flatMap((entry) =>
        entry.credentials === 'sourceAccount' || entry.call?.functionName === CHECK ? [] : [entry],
      ),
    )
  } catch {
    return []
  }
}
