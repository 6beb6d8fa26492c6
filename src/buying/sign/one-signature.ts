import { messageOf } from '../../platform/core/text/error-message.ts'
import { readAuthorizationPreimage } from '../../stellar/authorization/authorization-preimage.ts'
import type { AccountSigner } from '../signers/account-signer.ts'
import { RefusedOffer } from '../upto/client.ts'

type Preimage = NonNullable<ReturnType<typeof readAuthorizationPreimage>>

/** The nonce and the last ledger by which the ledger knows one authorization of the payer. */
export type SignatureTrace = Pick<Preimage, 'nonce' | 'lastLedger'>

export interface SigningLimits {
  /** A ledger that had closed before. */
  readonly afterLedger: number
  /** Called before the signature is made; when it throws, none is made. */
  readonly record: (trace: SignatureTrace) => void
}

/** The longest validity, 15 minutes, in ledgers of 3 seconds, and some that close while the payment is prepared. */
const MAX_LEDGERS = 330

/**
 * A signer that signs one authorization in its life, and none that is valid for longer than any offer. A Stellar RPC that lies could
 * return an entry several times, each with another nonce: each signature would move the price. It could also name a later ledger
 * as the latest one. What is signed is recorded first: the stock client sends it to the RPC, whatever becomes of the
 * payment afterwards. `signAuthEntry` throws RefusedOffer, or what `record` throws.
 */
export function oneSignature(
  signer: AccountSigner,
  { afterLedger, record }: SigningLimits,
  check: (authorized: Preimage) => void = () => undefined,
): AccountSigner {
  let isSigned = false
  return {
    ...signer,
    signAuthEntry: async (preimage, options) => {
      const authorized = readOrRefuse(preimage)
      check(authorized)
      if (isSigned) throw new RefusedOffer('More than one signature is asked for')
      const { nonce, lastLedger } = authorized
      if (lastLedger > afterLedger + MAX_LEDGERS) {
        throw new RefusedOffer(
          `The signature asked for is valid for more than ${MAX_LEDGERS} ledgers`,
        )
      }
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
