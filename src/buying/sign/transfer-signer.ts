import type { ClientStellarSigner } from '@x402/stellar'
import { messageOf } from '../../platform/core/text/error-message.ts'
import { readAuthorizationPreimage } from '../../stellar/authorization/authorization-preimage.ts'
import type { Offer } from '../offer/offer.ts'
import { RefusedOffer } from '../upto/client.ts'

/**
 * A signer that signs the transfer of an offer and nothing else. The stock client signs what a simulation recorded: a
 * token that its seller wrote could ask there for further calls, such as a transfer of another token, and so could
 * a Stellar RPC that lies. Its `signAuthEntry` throws RefusedOffer.
 */
export function transferSigner(signer: ClientStellarSigner, offer: Offer): ClientStellarSigner {
  return {
    ...signer,
    signAuthEntry: async (preimage, options) => {
      const problem = problemOf(preimage, signer.address, offer)
      if (problem !== undefined) throw new RefusedOffer(problem)
      return signer.signAuthEntry(preimage, options)
    },
  }
}

function problemOf(preimage: string, payer: string, { asset, payTo, amount }: Offer) {
  const authorized = readOrSay(preimage)
  if (typeof authorized === 'string') return authorized
  const { call, subInvocations } = authorized
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

function readOrSay(preimage: string) {
  try {
    return readAuthorizationPreimage(preimage) ?? 'The signature asked for is for no authorization'
  } catch (error) {
    return `The signature asked for is for something unreadable: ${messageOf(error)}`
  }
}
