import { encodeMuxedAccountToAddress, xdr } from '@stellar/stellar-sdk'
import type { ReasonCode } from '../../../src/x402/reasons.ts'
import { callOf, keyOf, type RequestOptions, seller, transaction } from './payment-builder.ts'

export const muxed = (address: string, id: bigint): string =>
  encodeMuxedAccountToAddress(
    xdr.MuxedAccount.keyTypeMuxedEd25519(
      new xdr.MuxedAccountMed25519({
        id,
        ed25519: xdr.MuxedAccount.keyTypeEd25519(keyOf(address === seller ? 2 : 1).rawPublicKey())
          .ed25519,
      }),
    ),
  )

export const muxedSeller = muxed(seller, 42n)

export const P = 'invalid_exact_stellar_payload_'
export const R = 'invalid_exact_stellar_requirements_'

/** A payment that must be refused, and how. */
export interface Refused {
  when: string
  code: ReasonCode
  given: () => RequestOptions | Promise<RequestOptions>
  /** Part of the message: what was expected or seen. */
  says: string
  payer?: string
}

export const tx = async (
  options: Parameters<typeof transaction>[0],
  more: RequestOptions = {},
): Promise<RequestOptions> => ({ transaction: await transaction(options), ...more })

/** A call whose authorization covers the very same call. */
export const transferOf = (args: xdr.ScVal[]) => tx({ call: callOf({ args }) })
