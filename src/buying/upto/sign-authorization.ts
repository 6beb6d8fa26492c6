/**
 * The buyer's part of a settlement: a call of `settle`, and the authorization entry for it. Both follow from the terms
 * alone, so no simulation has to record them.
 */
import { nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { settleArguments, type UptoPayload } from '../../payments/schemes/upto/terms.ts'
import { passphrases } from '../../platform/core/caip2.ts'
import type { AccountSigner } from '../signers/account-signer.ts'
import {
  addressValue,
  authorize,
  callOf,
  envelopeOf,
  invocationOf,
} from '../signers/authorized-call.ts'
import type { Offer } from './read-offer.ts'

export interface Authorization {
  readonly offer: Offer
  /** The last ledger in which the seller can settle. */
  readonly expirationLedger: number
  /** 32 random bytes: what makes this authorization usable once. */
  readonly nonce: Uint8Array
  /** Signed 64 bits, random: the ledger's own nonce of the entry. */
  readonly entryNonce: bigint
}

type SettleArgument = (typeof settleArguments)[number]

/** Has the payer sign, and returns what goes to the seller. Throws what the signer throws, and for a signature of another key. */
export async function signAuthorization(
  signer: AccountSigner,
  authorization: Authorization,
): Promise<UptoPayload> {
  const { offer, expirationLedger, nonce, entryNonce } = authorization
  const invocation = authorizedSettlement(signer.address, authorization)
  await signer.prepare?.(invocation)
  const auth = await authorize(signer, invocation, {
    expirationLedger,
    nonce: entryNonce,
    passphrase: passphrases[offer.network],
  })
  return {
    transaction: envelopeOf(settleCall(signer.address, authorization), auth),
    maxAmount: String(offer.ceiling),
    expirationLedger,
    nonce: Buffer.from(nonce).toString('hex'),
  }
}

function authorizedSettlement(
  payer: string,
  authorization: Authorization,
): xdr.SorobanAuthorizedInvocation {
  const { offer } = authorization
  const values = argumentValues(payer, authorization)
  const signed = settleArguments.filter((name) => name !== 'from' && name !== 'actual')
  const approve = callOf(offer.asset, 'approve', [
    values.from,
    addressValue(offer.contract),
    values.ceiling,
    values.expirationLedger,
  ])
  const root = callOf(
    offer.contract,
    'settle',
    signed.map((name) => values[name]),
  )
  return invocationOf(root, [invocationOf(approve)])
}

/** The actual amount in it is the ceiling: the facilitator puts the amount that was used in its place. */
function settleCall(payer: string, authorization: Authorization): xdr.InvokeContractArgs {
  const values = argumentValues(payer, authorization)
  return callOf(
    authorization.offer.contract,
    'settle',
    settleArguments.map((name) => values[name]),
  )
}

function argumentValues(
  payer: string,
  { offer, expirationLedger, nonce }: Authorization,
): Readonly<Record<SettleArgument, xdr.ScVal>> {
  const ceiling = nativeToScVal(offer.ceiling, { type: 'i128' })
  return {
    token: addressValue(offer.asset),
    from: addressValue(payer),
    to: addressValue(offer.payTo),
    ceiling,
    expirationLedger: xdr.ScVal.scvU32(expirationLedger),
    nonce: xdr.ScVal.scvBytes(nonce),
    actual: ceiling,
    authority: addressValue(offer.authority),
  }
}
