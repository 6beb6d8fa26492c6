import type { PaymentRequirements } from '@x402/core/types'
import { isSchemeName, type SchemeName } from '../../payments/protocol/schemes.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { canonicalJson } from '../../platform/core/text/canonical-json.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import { readAmount } from '../../stellar/values/read-amount.ts'
import { MAX_TIMEOUT_SECONDS } from '../signers/last-ledger.ts'

/** One way to pay, as the seller offers it. */
export interface Offer {
  /** In a metered scheme `amount` is a ceiling, and the seller says what was used. */
  readonly scheme: SchemeName
  readonly network: NetworkId
  /** Token contract, `C...`. */
  readonly asset: string
  /** Base units of the token, above zero: the price, or the ceiling. */
  readonly amount: bigint
  readonly payTo: string
  /** How long the signed payment is valid, from the signature on. */
  readonly maxTimeoutSeconds: number
  /** The requirements as the seller sent them; the payment repeats them. */
  readonly terms: PaymentRequirements
  /** Equal for equal terms. */
  readonly fingerprint: string
}

/** One transfer each; `escrow` settles twice. */
const flows: readonly unknown[] = ['authorization', 'upfront']

/** Reads one entry of `accepts`. @returns the offer, or what it is instead of one that can be paid */
export function readOffer(entry: unknown, network: NetworkId): Offer | string {
  const terms = Object(entry) as PaymentRequirements
  const { scheme, amount, asset, payTo, maxTimeoutSeconds, extra } = terms
  if (!isSchemeName(scheme) || terms.network !== network) {
    return `${scheme} on ${terms.network}`
  }
  const units = readAmount(String(amount))
  if (units === undefined) return `${scheme} with the amount ${amount}`
  if (addressKind(String(asset)) !== 'contract') return `${scheme} in the token ${asset}`
  if (addressKind(String(payTo)) === undefined) return `${scheme} to the address ${payTo}`
  if (!(maxTimeoutSeconds > 0 && maxTimeoutSeconds <= MAX_TIMEOUT_SECONDS)) {
    return `${scheme} with a payment that stays valid for ${maxTimeoutSeconds} s (the most is ${MAX_TIMEOUT_SECONDS} s)`
  }
  const flow = Object(extra)['paymentFlow'] ?? 'authorization'
  if (!flows.includes(flow)) return `${scheme} in the payment flow ${flow}`
  const fingerprint = canonicalJson(terms)
  return { scheme, network, asset, amount: units, payTo, maxTimeoutSeconds, terms, fingerprint }
}
