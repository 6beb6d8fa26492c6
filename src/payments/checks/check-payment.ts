import type { PaymentPolicy } from '../protocol/policy.ts'
import type { PaymentRequest } from '../protocol/protocol.ts'
import { refused } from '../protocol/refusal.ts'
import type { CheckedPayment, Phase } from '../schemes/scheme.ts'
import { schemeOf } from '../schemes/schemes.ts'
import { firstFinding } from './check.ts'
import { protocolChecks } from './protocol.ts'

/**
 * Every check of a payment that needs no ledger, in the documented order: those of the protocol, then those of the
 * scheme that the requirements name. Pure; never throws.
 */
export function checkPayment(
  request: PaymentRequest,
  policy: PaymentPolicy,
  phase: Phase,
): CheckedPayment {
  const finding = firstFinding(protocolChecks, { request, policy })
  if (finding) return refused(finding, policy)
  const scheme = schemeOf(request.paymentRequirements, policy)
  if (!scheme) throw new Error('the protocol checks let a scheme through that is not served')
  return scheme.check(request, policy, phase)
}
