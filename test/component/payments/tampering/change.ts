import type { Keypair } from '@stellar/stellar-sdk'
import type { PaymentDraft, Wallet } from '../../../support/payments.ts'

/** Parties that a tamperer might bring in. */
export interface Parties {
  readonly payer: Wallet
  /** Holds money, and signed nothing. */
  readonly victim: Wallet
  readonly thief: Wallet
  readonly sponsor: string
  readonly channel: string
  /** A token that the operator accepts as well. */
  readonly otherAsset: string
  readonly otherKey: Keypair
}

/** Something done to a signed payment on its way. Works in place, so that changes add up. */
export interface Change {
  readonly name: string
  readonly make: (draft: PaymentDraft, parties: Parties) => void
  /** Why it may be accepted: it is nothing the payer signed, and nothing the settlement takes over. */
  readonly harmless?: string
}

/** Harmless together, though each alone is refused. */
export const harmlessTogether: readonly (readonly [string, string, string])[] = [
  [
    'requirements: a shorter timeout',
    'accepted: a shorter timeout',
    'price and choice agree on a time in which the authorization fits',
  ],
]

export function isHarmless(changes: readonly Change[]): boolean {
  if (changes.every(({ harmless }) => harmless !== undefined)) return true
  const names = changes.filter(({ harmless }) => harmless === undefined).map(({ name }) => name)
  return harmlessTogether.some(
    (pair) => names.length === 2 && names.every((name) => pair.slice(0, 2).includes(name)),
  )
}
