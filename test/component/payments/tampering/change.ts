import type { Keypair } from '@stellar/stellar-sdk'
import type { PaymentDraft, Wallet } from '../../../support/payments.ts'

/** Accounts and contracts that an attacker could put into a payment. */
export interface Parties {
  readonly payer: Wallet
  /** Has a balance, and has signed nothing. */
  readonly victim: Wallet
  readonly thief: Wallet
  readonly sponsor: string
  readonly channel: string
  /** Another accepted token. */
  readonly otherAsset: string
  readonly otherKey: Keypair
}

/** A change to a signed payment in transit. Works in place, so that several changes combine. */
export interface Change {
  readonly name: string
  readonly make: (draft: PaymentDraft, parties: Parties) => void
  /** Why it may be accepted: neither the payer's signature nor the settlement covers what it changes. */
  readonly harmless?: string
}

/** Pairs that are accepted together, though each change alone is refused. */
const harmlessTogether: readonly (readonly [string, string, string])[] = [
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
