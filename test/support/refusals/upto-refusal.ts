/** A refusal of the scheme `upto`, and what the tables of them share. */
import { Keypair } from '@stellar/stellar-sdk'
import type { ReasonCode } from '../../../src/payments/protocol/reasons.ts'
import type { Phase } from '../../../src/payments/schemes/scheme.ts'
import type { PaymentDraft, Wallet } from '../payments.ts'
import type { UptoPlan } from '../upto-payments.ts'

/** Who takes part in a payment. */
export interface UptoParties {
  readonly payer: Wallet
  readonly seller: Wallet
  readonly contract: string
  readonly authority: string
  /** An account of the facilitator. */
  readonly channel: string
}

export interface UptoRefusal {
  readonly code: ReasonCode
  readonly when: string
  /** @default settle: what holds at settle alone, or in both */
  readonly phase?: Phase
  readonly plan: Partial<UptoPlan> | ((parties: UptoParties) => Partial<UptoPlan>)
  readonly message: string | RegExp
  /** Whether the refusal names no payer: the call could not be read, or the payer is an account of ours. */
  readonly isAnonymous?: true
}

/** How the codes of the payload of `upto` begin. */
export const U = 'invalid_upto_stellar_payload_'
const stranger = Keypair.random()
export const other: Wallet = { address: stranger.publicKey(), key: stranger }
/** A contract that is none of the parties. */
export const OTHER_CONTRACT = 'CA3D5KRYM6CB7OWQ6TWYRR3Z4T7GNZLKERYNZGGA5SOAOPIFY6YQGAXE'

export const after = (afterwards: (draft: PaymentDraft) => void): Partial<UptoPlan> => ({
  afterwards,
})
