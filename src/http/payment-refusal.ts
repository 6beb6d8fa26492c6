import { faults } from '../core/faults.ts'
import { errorMember, type RefusalShape, type ToldFault } from './refusal.ts'

/*
 * Stock x402 clients raise their typed errors only when a refusal keeps the members of a verdict,
 * so the payment routes word even a 413 that way: `isValid` after /verify, `success` after /settle.
 */

type Unexpected = 'unexpected_verify_error' | 'unexpected_settle_error'

/** The x402 reason for a fault. A fault that is not the caller's becomes the route's own code. */
function reasonOf({ code }: ToldFault, unexpected: Unexpected): string {
  const { wire } = faults[code]
  if (wire === 'same') return code
  return wire === 'unexpected' ? unexpected : wire
}

export const verifyRefusal: RefusalShape = (fault) => ({
  isValid: false,
  invalidReason: reasonOf(fault, 'unexpected_verify_error'),
  invalidMessage: fault.message,
  error: errorMember(fault),
})

export const settleRefusal: RefusalShape = (fault, body) => ({
  success: false,
  errorReason: reasonOf(fault, 'unexpected_settle_error'),
  errorMessage: fault.message,
  transaction: '',
  network: networkOf(body),
  error: errorMember(fault),
})

/** The network a request body names, or `""`: a settle answer must carry one, whatever was sent. */
export function networkOf(body: unknown): string {
  const network =
    member(member(body, 'paymentRequirements'), 'network') ??
    member(member(member(body, 'paymentPayload'), 'accepted'), 'network')
  return typeof network === 'string' ? network : ''
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
