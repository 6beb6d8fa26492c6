/** Whether no account of ours is a party of the payment, and nothing that the transaction asks for gets lost. */
import { baseAddress } from '../../stellar/accounts/strkey.ts'
import { type Check, rule } from './check.ts'
import type { CallFacts } from './facts.ts'

/** Whether any account behind the address signs for this service. */
const isOurs = (address: string, { policy }: CallFacts): boolean =>
  policy.isOwnAccount(baseAddress(address))

// With one of our accounts as source, our signature would authorize more than a fee.
export const sourcesNotOurs: Check<CallFacts> = rule(
  'sources are not ours',
  'invalid_exact_stellar_payload_unsafe_tx_or_op_source',
  (facts) => {
    const { source, operations } = facts.envelope
    const ours = [source, operations[0]?.source ?? source].find((each) => isOurs(each, facts))
    return ours && `source ${ours} is one of the facilitator's own accounts`
  },
)

export const payerNotOurs: Check<CallFacts> = rule(
  'payer is not ours',
  'invalid_exact_stellar_payload_facilitator_is_payer',
  (facts) =>
    isOurs(facts.payer, facts)
      ? "the transfer is from one of the facilitator's own accounts"
      : undefined,
)

export const payerNotRecipient: Check<CallFacts> = rule(
  'payer is not the recipient',
  'invalid_exact_stellar_payload_self_payment',
  (facts) =>
    baseAddress(facts.request.paymentRequirements.payTo ?? '') === facts.payer
      ? `payer and recipient are both ${facts.payer}`
      : undefined,
)

// The settlement is a transaction of our own, so that a condition on the client's would be
// lost. A memo too: the network allows none with address credentials. Time bounds are
// superseded by maxTimeoutSeconds and by the authorization's own expiry.
export const conditionsKept: Check<CallFacts> = rule(
  'conditions can be kept',
  'invalid_exact_stellar_payload_unsupported_preconditions',
  ({ envelope }) => {
    const kept = [...envelope.preconditions, ...(envelope.hasMemo ? ['memo'] : [])]
    return kept.length > 0
      ? `the transaction sets ${kept.join(', ')}, which a sponsored settlement cannot keep`
      : undefined
  },
)
