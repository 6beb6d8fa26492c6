import { xdr } from '@stellar/stellar-sdk'
import { type AuthorizedCall, readAuthorizedCall } from './auth-entry.ts'

interface AuthorizationPreimage extends AuthorizedCall {
  /** Signed 64 bits. */
  readonly nonce: bigint
  /** The last one in which the authorization is valid. */
  readonly lastLedger: number
}

/**
 * Reads what a signature of an authorization entry would authorize. Undefined for a preimage of anything else.
 *
 * @param base64 XDR `HashIdPreimage`, which a wallet is asked to sign. Throws on anything else
 */
export function readAuthorizationPreimage(base64: string): AuthorizationPreimage | undefined {
  const preimage = xdr.HashIdPreimage.fromXdr(base64, 'base64')
  if (preimage.type !== 'envelopeTypeSorobanAuthorization') return undefined
  const { invocation, nonce, signatureExpirationLedger } = preimage.sorobanAuthorization
  return { ...readAuthorizedCall(invocation), nonce, lastLedger: signatureExpirationLedger }
}
