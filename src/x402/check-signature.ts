import { isSignatureOver, readAccountSignatures } from '../stellar/account-signature.ts'
import { signaturePayload } from '../stellar/auth-entry.ts'
import { addressKind, addressOf } from '../stellar/strkey.ts'
import type { ExactPayment } from './payment.ts'
import type { Refusal } from './refusal.ts'

/**
 * Checks every signature of a `G...` payer over the payload the ledger will derive from the
 * entry. Whether the keys carry enough weight is the ledger's to say: they may be co-signers'.
 * What a smart account takes for a signature only its contract knows, so a `C...` payer passes.
 */
export function checkSignature(payment: ExactPayment, passphrase: string): Refusal | undefined {
  const { payer, authorization } = payment
  if (addressKind(payer) !== 'account') return undefined

  const refusal = (message: string): Refusal => ({
    code: 'invalid_exact_stellar_payload_invalid_signature',
    message,
    payer,
  })
  const signatures = readAccountSignatures(authorization.signature)
  if (!signatures) {
    return refusal(`the signature of ${payer} is not a vector of maps {public_key, signature}`)
  }
  const payload = signaturePayload(authorization, passphrase)
  const wrong = signatures.find((signature) => !isSignatureOver(payload, signature))
  if (!wrong) return undefined
  const key = wrong.publicKey.length === 32 ? addressOf(wrong.publicKey) : 'a malformed key'
  return refusal(
    `the signature by ${key} is not one of this call, nonce ${authorization.nonce} and expiration ledger ${authorization.expirationLedger} on this network`,
  )
}
