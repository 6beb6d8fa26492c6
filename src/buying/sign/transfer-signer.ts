import type { AuthorizedCall } from '../../stellar/authorization/auth-entry.ts'
import type { Offer } from '../offer/offer.ts'
import type { AccountSigner } from '../signers/account-signer.ts'
import { RefusedOffer } from '../upto/client.ts'
import { oneSignature, type SigningLimits } from './one-signature.ts'

/**
 * A signer that signs the transfer of an offer once, and nothing else. The stock client signs what a simulation recorded: a
 * token that its seller wrote could ask there for further calls, such as a transfer of another token, and so could
 * a Stellar RPC that lies. Its `signAuthEntry` throws RefusedOffer.
 */
export const transferSigner = (
  signer: AccountSigner,
  offer: Offer,
  limits: SigningLimits,
): AccountSigner =>
  oneSignature(signer, limits, (authorized) => {
    const problem = problemOf(authorized, signer.address, offer)
    if (problem !== undefined) throw new RefusedOffer(problem)
  })

function problemOf(
  { call, subInvocations }: AuthorizedCall,
  payer: string,
  { asset, payTo, amount }: Offer,
) {
  const [from, to, moved, ...more] = call?.args ?? []
  const isTransfer =
    call?.contract === asset &&
    call.functionName === 'transfer' &&
    from?.type === 'address' &&
    from.value === payer &&
    to?.type === 'address' &&
    to.value === payTo &&
    moved?.type === 'i128' &&
    moved.value === amount &&
    more.length === 0
  if (!isTransfer)
    return 'The signature asked for is for another call than the transfer of the price'
  return subInvocations.length === 0
    ? undefined
    : `The signature asked for covers ${subInvocations.length} further calls of the token`
}
