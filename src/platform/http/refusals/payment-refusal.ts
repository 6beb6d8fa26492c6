import { z } from 'zod'
import { type FaultCode, faults } from '../../core/errors/faults.ts'
import { errorMember, errorMemberSchema, faultCodes, type RefusalFormat } from './refusal.ts'

/*
 * Stock x402 clients raise their typed errors only when a refusal keeps the members of a verdict, so
 * every refusal of a payment route has them, a 413 too: `isValid` after /verify, `success` after /settle.
 */

type Unexpected = 'unexpected_verify_error' | 'unexpected_settle_error'

/** The x402 reason for a fault. A failure of the service becomes the route's own code. */
function wireReason(code: FaultCode, unexpected: Unexpected): string {
  const { wire } = faults[code]
  if (wire === 'same') return code
  return wire === 'invalid_payload' ? wire : unexpected
}

/** Every reason for a fault that these routes answer with. */
const wireReasons = (unexpected: Unexpected) =>
  z.enum(
    faultCodes
      .filter((code) => faults[code].wire !== 'none')
      .map((code) => wireReason(code, unexpected)),
  )

export const verifyRefusal: RefusalFormat = {
  name: 'VerifyError',
  schema: z.strictObject({
    isValid: z.literal(false),
    invalidReason: wireReasons('unexpected_verify_error'),
    invalidMessage: z.string().min(1),
    error: errorMemberSchema,
  }),
  bodyOf: (fault) => ({
    isValid: false,
    invalidReason: wireReason(fault.code, 'unexpected_verify_error'),
    invalidMessage: fault.message,
    error: errorMember(fault),
  }),
}

export const settleRefusal: RefusalFormat = {
  name: 'SettleError',
  schema: z.strictObject({
    success: z.literal(false),
    errorReason: wireReasons('unexpected_settle_error'),
    errorMessage: z.string().min(1),
    transaction: z.literal(''),
    network: z.string().describe('As the request names it, or empty.'),
    error: errorMemberSchema,
  }),
  bodyOf: (fault, body) => ({
    success: false,
    errorReason: wireReason(fault.code, 'unexpected_settle_error'),
    errorMessage: fault.message,
    transaction: '',
    network: networkOf(body),
    error: errorMember(fault),
  }),
}

/** The network a request body names, or `""`: a settle answer must carry one, whatever was sent. */
function networkOf(body: unknown): string {
  const network =
    member(member(body, 'paymentRequirements'), 'network') ??
    member(member(member(body, 'paymentPayload'), 'accepted'), 'network')
  return typeof network === 'string' ? network : ''
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
