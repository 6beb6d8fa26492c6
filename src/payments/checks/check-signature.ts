import { addressKind, addressOf } from '../../stellar/accounts/strkey.ts'
import {
  isSignatureOver,
  readAccountSignatures,
} from '../../stellar/authorization/account-signature.ts'
import { signaturePayload } from '../../stellar/authorization/auth-entry.ts'
import type { Refusal } from '../protocol/refusal.ts'
import type { Payment } from '../schemes/scheme.ts'

/**
 * Whether the key whose address the payer is has signed the payment, which nobody else can. Where it has not, as for a smart account or
 * by co-signers, a simulation still proves that the payer agrees.
 */
export function isSignedByOwnKey({ payer, authorization }: Payment, passphrase: string): boolean {
  if (addressKind(payer) !== 'account') return false
  const payload = signaturePayload(authorization, passphrase)
  const signatures = readAccountSignatures(authorization.signature) ?? []
  return signatures.some(
    (signature) =>
      signature.publicKey.length === 32 &&
      addressOf(signature.publicKey) === payer &&
      isSignatureOver(payload, signature),
  )
}

/**
 * Checks every signature of a `G...` payer over the payload that the ledger will derive from the
 * entry. Only the ledger can decide whether the keys have enough weight, as they may be co-signers'.
 * Only a smart account's contract can check its signature, so a `C...` payer passes.
 */
export function checkSignature(payment: Payment, passphrase: string): Refusal | undefined {
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
