import type { VerifyResponse } from '../../protocol/protocol.ts'
import type { Refusal } from '../../protocol/refusal.ts'

export const verified = (payer: string): VerifyResponse => ({ isValid: true, payer })

export const notVerified = ({ code, message, payer }: Refusal): VerifyResponse => ({
  isValid: false,
  invalidReason: code,
  invalidMessage: message,
  ...(payer !== undefined && { payer }),
})
