import type { PaymentPolicy } from './policy.ts'
import type { ReasonCode } from './reasons.ts'

/** Why a payment is refused. */
export interface Refusal {
  readonly code: ReasonCode
  /** The expected and the actual value. Never empty. */
  readonly message: string
  /** Known once the payer could be read from the signed call, unless it is one of our accounts. */
  readonly payer?: string
}

export interface Refused {
  readonly ok: false
  readonly refusal: Refusal
}

/** @param payer as far as the call names one; left out of the answer when it is an account of ours */
export const refused = (
  { code, message }: Pick<Refusal, 'code' | 'message'>,
  policy: Pick<PaymentPolicy, 'isOwnAccount'>,
  payer?: string,
): Refused => ({
  ok: false,
  refusal:
    payer !== undefined && !policy.isOwnAccount(payer)
      ? { code, message, payer }
      : { code, message },
})
