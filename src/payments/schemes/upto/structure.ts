/** Whether the transaction is what the scheme requires: one call of `settle`, and a payload that says the same. */
import { type Check, rule } from '../../checks/check.ts'
import {
  type BindingMembers,
  bindingMembers,
  mismatch,
  notTooLarge,
  oneInvocation,
  readable,
} from '../../checks/structure.ts'
import type { UptoEnvelopeFacts } from './facts.ts'
import { readSettleTerms, SETTLE } from './settle-call.ts'
import { settleArguments, uptoPayloadSchema } from './terms.ts'

/** At `settle` the requirements have the actual amount, and the accepted entry the ceiling. */
const { amount, ...settleMembers } = {
  ...bindingMembers,
  'extra.profile': ({ extra }) => extra?.['profile'],
  'extra.uptoContract': ({ extra }) => extra?.['uptoContract'],
  'extra.authority': ({ extra }) => extra?.['authority'],
} satisfies BindingMembers

const membersAt = { verify: { amount, ...settleMembers }, settle: settleMembers }

export const structureChecks: readonly Check<UptoEnvelopeFacts>[] = [
  rule('accepted equals required', 'invalid_exact_stellar_payload_accepted_mismatch', (facts) =>
    mismatch(facts, membersAt[facts.phase]),
  ),
  notTooLarge,
  readable('invalid_upto_stellar_payload_malformed'),
  oneInvocation,

  rule(
    'the call is settle with its arguments',
    'invalid_exact_stellar_payload_wrong_function_name',
    (facts) => {
      const call = callOf(facts)
      const { length } = settleArguments
      return call?.functionName === SETTLE && call.args.length === length
        ? undefined
        : `the call is ${call?.functionName} with ${call?.args.length} arguments, expected ${SETTLE} with ${length}`
    },
  ),

  rule('arguments are of their types', 'invalid_upto_stellar_payload_malformed', (facts) => {
    const call = callOf(facts)
    const read = call && readSettleTerms(call)
    return read?.ok === false ? read.problem : undefined
  }),

  rule('payload says the same', 'invalid_upto_stellar_payload_malformed', (facts) => {
    const payload = uptoPayloadSchema.safeParse(facts.request.paymentPayload.payload)
    if (!payload.success) {
      const [issue] = payload.error.issues
      return `payload.${issue?.path.join('.')}: ${issue?.message}`
    }
    const { expirationLedger, nonce } = payload.data
    const terms = termsOf(facts)
    if (expirationLedger !== terms?.expirationLedger) {
      return `payload.expirationLedger is ${expirationLedger}, the call says ${terms?.expirationLedger}`
    }
    return nonce === terms.nonce
      ? undefined
      : `payload.nonce is ${JSON.stringify(nonce)}, the call says ${terms.nonce}`
  }),

  rule('payload names the ceiling', 'invalid_upto_stellar_payload_wrong_max_amount', (facts) => {
    const { maxAmount } = facts.request.paymentPayload.payload
    const ceiling = termsOf(facts)?.ceiling.toString()
    return maxAmount === ceiling
      ? undefined
      : `payload.maxAmount is ${JSON.stringify(maxAmount)}, the call says ${ceiling}`
  }),
]

const callOf = ({ envelope }: UptoEnvelopeFacts) => envelope?.operations[0]?.invocation?.call

function termsOf(facts: UptoEnvelopeFacts) {
  const call = callOf(facts)
  const read = call && readSettleTerms(call)
  return read?.ok ? read.terms : undefined
}
