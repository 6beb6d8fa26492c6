/** The bodies of HTTP errors: plain, and with the members of a verdict on the payment routes. */
import { z } from 'zod'
import { type FaultCode, faults } from '../core/faults.ts'

const codes = Object.keys(faults) as FaultCode[]

/** The member `error` of every HTTP error. */
export const errorMemberSchema = z.strictObject({
  code: z.enum(codes),
  reason: z.string().min(1).describe('For people; never empty.'),
  retryable: z.boolean().describe('Whether the same request may succeed later.'),
  details: z.record(z.string(), z.unknown()).optional(),
})

export const errorSchema = z.strictObject({ error: errorMemberSchema })

const isOfAPath = (code: FaultCode): boolean => code !== 'not_found'

const wireCodes = (unexpected: string): string[] => [
  ...new Set(
    codes.filter(isOfAPath).map((code) => {
      const { wire } = faults[code]
      if (wire === 'same') return code
      return wire === 'unexpected' ? unexpected : wire
    }),
  ),
]

export const verifyRefusalSchema = z.strictObject({
  isValid: z.literal(false),
  invalidReason: z.enum(wireCodes('unexpected_verify_error')),
  invalidMessage: z.string().min(1),
  error: errorMemberSchema,
})

export const settleRefusalSchema = z.strictObject({
  success: z.literal(false),
  errorReason: z.enum(wireCodes('unexpected_settle_error')),
  errorMessage: z.string().min(1),
  transaction: z.literal(''),
  network: z.string().describe('As the request names it, or empty.'),
  error: errorMemberSchema,
})
