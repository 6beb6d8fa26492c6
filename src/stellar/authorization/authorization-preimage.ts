import { xdr } from '@stellar/stellar-sdk'
import { type AuthorizedCall, readAuthorizedCall } from './auth-entry.ts'

/**
 * What a signature of an authorization entry would authorize. Undefined for a preimage of anything else.
 *
 * @param base64 XDR `HashIdPreimage`, which a wallet is asked to sign. Throws on anything else
 */
export function readAuthorizationPreimage(base64: string): AuthorizedCall | undefined {
  const preimage = xdr.HashIdPreimage.fromXdr(base64, 'base64')
  return preimage.type === 'envelopeTypeSorobanAuthorization'
    ? readAuthorizedCall(preimage.sorobanAuthorization.invocation)
    : undefined
}
