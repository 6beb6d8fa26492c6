/** Whether the call moves the required amount to the required recipient, and from none of our accounts. */
import { baseAddress } from '../../stellar/strkey.ts'
import { type Check, rule } from './check.ts'
import type { CallFacts } from './facts.ts'

/** Whether any account behind the address signs for this service. */
const isOurs = (address: string, { policy }: CallFacts): boolean =>
  policy.isOwnAccount(baseAddress(address))

export const accountChecks: readonly Check<CallFacts>[] = [
  // With one of our accounts as source, our signature would authorize more than a fee.
  rule('sources are not ours', 'invalid_exact_stellar_payload_unsafe_tx_or_op_source', (facts) => {
    const { source, operations } = facts.envelope
    const ours = [source, operations[0]?.source ?? source].find((each) => isOurs(each, facts))
    return ours && `source ${ours} is one of the facilitator's own accounts`
  }),

  rule('payer is not ours', 'invalid_exact_stellar_payload_facilitator_is_payer', (facts) =>
    isOurs(facts.payer, facts)
      ? "the transfer is from one of the facilitator's own accounts"
      : undefined,
  ),

  rule('contract is the asset', 'invalid_exact_stellar_payload_wrong_asset', (facts) => {
    const { asset } = facts.request.paymentRequirements
    return facts.call.contract === asset
      ? undefined
      : `the call is to contract ${facts.call.contract}, expected ${asset}`
  }),

  rule('recipient is payTo', 'invalid_exact_stellar_payload_wrong_recipient', (facts) => {
    const { payTo } = facts.request.paymentRequirements
    const to = facts.call.args[1]
    if (to?.type === 'address' && to.value === payTo) return undefined
    return `the transfer is to ${to?.type === 'address' ? to.value : `a value of type ${to?.type}`}, expected ${payTo}`
  }),

  rule('payer is not the recipient', 'invalid_exact_stellar_payload_self_payment', (facts) =>
    baseAddress(facts.request.paymentRequirements.payTo ?? '') === facts.payer
      ? `payer and recipient are both ${facts.payer}`
      : undefined,
  ),

  rule('amount is exact', 'invalid_exact_stellar_payload_wrong_amount', (facts) => {
    const { amount } = facts.request.paymentRequirements
    const moved = facts.call.args[2]
    if (moved?.type !== 'i128') {
      return `argument 2 of transfer is of type ${moved?.type}, expected i128`
    }
    return moved.value.toString() === amount
      ? undefined
      : `the transfer is for ${moved.value} base units, expected ${amount}`
  }),

  // The settlement is a transaction of our own, so that a condition on the client's would be
  // lost. A memo too: the network allows none with address credentials. Time bounds are
  // superseded by maxTimeoutSeconds and by the authorization's own expiry.
  rule(
    'conditions can be kept',
    'invalid_exact_stellar_payload_unsupported_preconditions',
    ({ envelope }) => {
      const kept = [...envelope.preconditions, ...(envelope.hasMemo ? ['memo'] : [])]
      return kept.length > 0
        ? `the transaction sets ${kept.join(', ')}, which a sponsored settlement cannot keep`
        : undefined
    },
  ),
]
