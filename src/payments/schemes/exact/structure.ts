/** Whether the transaction is what the scheme requires: one call of `transfer` with three arguments. */
import { type Check, rule } from '../../checks/check.ts'
import type { EnvelopeFacts } from '../../checks/facts.ts'
import {
  bindingMembers,
  mismatch,
  notTooLarge,
  oneInvocation,
  readable,
} from '../../checks/structure.ts'

/** The function of a token (SEP-41) that the payer signs a call of. */
export const TRANSFER = 'transfer'

export const structureChecks: readonly Check<EnvelopeFacts>[] = [
  rule('accepted equals required', 'invalid_exact_stellar_payload_accepted_mismatch', (facts) =>
    mismatch(facts, bindingMembers),
  ),
  notTooLarge,
  readable('invalid_exact_stellar_payload_malformed'),
  oneInvocation,

  rule(
    'the call is transfer with three arguments',
    'invalid_exact_stellar_payload_wrong_function_name',
    ({ envelope }) => {
      const call = envelope?.operations[0]?.invocation?.call
      if (call?.functionName === TRANSFER && call.args.length === 3) return undefined
      return `the call is ${call?.functionName} with ${call?.args.length} arguments, expected transfer with 3`
    },
  ),

  rule(
    'the first argument is an address that can pay',
    'invalid_exact_stellar_payload_malformed',
    ({ envelope }) => {
      const from = envelope?.operations[0]?.invocation?.call?.args[0]
      const mayPay = from?.type === 'address' && /^[GC]/.test(from.value)
      return mayPay ? undefined : 'argument 0 of transfer is not a G or C address'
    },
  ),
]
