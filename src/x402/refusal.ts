import type { ReasonCode } from './reasons.ts'

/** A verdict against a payment. */
export interface Refusal {
  readonly code: ReasonCode
  /** What was expected and what was seen. Never empty. */
  readonly message: string
  /** Known once the payer could be read from the signed call, unless it is one of our accounts. */
  readonly payer?: string
}
