import type { ReasonCode } from './reasons.ts'

/** Why a payment is refused. */
export interface Refusal {
  readonly code: ReasonCode
  /** The expected and the actual value. Never empty. */
  readonly message: string
  /** Known once the payer could be read from the signed call, unless it is one of our accounts. */
  readonly payer?: string
}
