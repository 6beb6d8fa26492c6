import type { PaymentPayload } from '@x402/core/types'
import {
  type AuthorizedTransfer,
  authorizedTransfer,
  type TransferAuthorization,
  transferSearch,
} from '../../stellar/history/authorized-transfer.ts'
import { jsonRpc } from '../../stellar/rpc/transport/json-rpc.ts'
import { readClientEnvelope } from '../../stellar/transactions/client-envelope.ts'
import type { Offer } from '../offer/offer.ts'
import { PayFailure } from '../outcome/pay-failure.ts'

/** The signed authorization: with it the ledger can be asked later whether it was paid. */
export type SignedAuthorization = TransferAuthorization

export type AuthorizationOutcome = AuthorizedTransfer

export {
  type UnexplainedBecause,
  unexplainedReasons,
} from '../../stellar/history/authorized-transfer.ts'

/** The payer's authorization in a payment. Throws PayFailure when it has none, or more than one. */
export function signedAuthorization(
  { payload }: Pick<PaymentPayload, 'payload'>,
  { asset }: Pick<Offer, 'asset'>,
  { payer, afterLedger }: Pick<SignedAuthorization, 'payer' | 'afterLedger'>,
): SignedAuthorization {
  const { operations } = readClientEnvelope(String(payload['transaction']))
  const own = operations
    .flatMap(({ invocation }) => invocation?.auth ?? [])
    .flatMap((entry) =>
      entry.credentials !== 'sourceAccount' && entry.address === payer ? [entry] : [],
    )
  const [entry, ...more] = own
  if (!entry || more.length > 0) {
    const says = `the stock client made a payment with ${own.length} authorizations of the payer`
    throw new PayFailure('not_signed', says)
  }
  const { nonce, expirationLedger } = entry
  return { asset, payer, nonce, afterLedger, lastLedger: expirationLedger }
}

/**
 * Asks the ledger whether a payment was made. Throws `RpcError` when the RPC does not know, for instance because it no longer has
 * the ledgers.
 */
export const authorizationOutcome = (
  rpcUrl: string,
  authorization: SignedAuthorization,
  signal?: AbortSignal | undefined,
): Promise<AuthorizationOutcome> =>
  authorizedTransfer(jsonRpc({ url: rpcUrl }), authorization, signal)

/** The same for many, with one read of the ledger. */
export const authorizationOutcomes = (
  rpcUrl: string,
  authorizations: readonly SignedAuthorization[],
  signal?: AbortSignal | undefined,
): ((authorization: SignedAuthorization) => Promise<AuthorizationOutcome>) =>
  transferSearch(jsonRpc({ url: rpcUrl }), authorizations, signal)
