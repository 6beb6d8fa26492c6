import type { ClientStellarSigner } from '@x402/stellar'
import { messageOf } from '../../platform/core/text/error-message.ts'
import { readAuthorizationPreimage } from '../../stellar/authorization/authorization-preimage.ts'
import { RefusedOffer } from '../upto/client.ts'

type Preimage = NonNullable<ReturnType<typeof readAuthorizationPreimage>>

/** By which the ledger knows one authorization of the payer. */
export type SignatureTrace = Pick<Preimage, 'nonce' | 'lastLedger'>

/**
 * A signer that signs one authorization in its life. A Stellar RPC that lies could return an entry several times, each with another
 * nonce: each signature would move the price. `check` and `record` are called in this order before the signature is made: the stock
 * client sends what was signed to the RPC, whatever becomes of the payment afterwards. What they throw keeps it from being made.
 * `signAuthEntry` throws RefusedOffer.
 */
export function oneSignature(
  signer: ClientStellarSigner,
  record: (trace: SignatureTrace) => void,
  check: (authorized: Preimage) => void = () => undefined,
): ClientStellarSigner {
  let isSigned = false
  return {
    ...signer,
    signAuthEntry: async (preimage, options) => {
      const authorized = readOrRefuse(preimage)
      check(authorized)
      if (isSigned) throw new RefusedOffer('More than one signature is asked for')
      const { nonce, lastLedger } = authorized
      record({ nonce, lastLedger })
      isSigned = true
      return signer.signAuthEntry(preimage, options)
    },
  }
}

function readOrRefuse(preimage: string): Preimage {
  let authorized: Preimage | undefined
  try {
    authorized = readAuthorizationPreimage(preimage)
  } catch (error) {
    throw new RefusedOffer(
      `The signature asked for is for something unreadable: ${messageOf(error)}`,
    )
  }
  if (authorized) return authorized
  throw new RefusedOffer('The signature asked for is for no authorization')
}
