/**
 * Whether the simulated call does one thing: settle the amount. It approves the ceiling, transfers the amount and
 * says so; for an amount of zero it only says so. Only the payer's own smart account, and the contracts that its
 * `__check_auth` calls, may emit other events.
 */
import { isDeepStrictEqual } from 'node:util'
import type { HostEvent, ScValue } from '../../../stellar/values/sc-value.ts'
import { type Check, rule } from '../../checks/check.ts'
import {
  eventsNameContracts,
  foreignEvents,
  issuerHint,
  isTransfer,
  topicName,
  transferChecks,
  transfers,
  transfersOfAsset,
} from '../../checks/events.ts'
import type { EventFacts, PaymentCall } from '../scheme.ts'
import { readSettleTerms, type SettleTerms } from './settle-call.ts'

const APPROVE = 'approve'
const SETTLED = 'upto_settled'

export const eventChecks: readonly Check<EventFacts>[] = [
  rule(
    'every event is of the settlement',
    'invalid_exact_stellar_payload_event_not_transfer',
    (facts) => {
      const other = foreignEvents(facts).find(
        (event) => !isTransfer(event) && !isApproval(event, facts) && !isSettled(event, facts),
      )
      return (
        other &&
        `contract ${other.contract} emits ${topicName(other)}, expected only ${APPROVE}, transfer and ${SETTLED}${issuerHint(other)}`
      )
    },
  ),

  eventsNameContracts,
  transfersOfAsset,

  rule(
    'the allowance is the ceiling',
    'invalid_exact_stellar_payload_event_not_transfer',
    (facts) => {
      const { payment, policy } = facts
      const { ceiling, expirationLedger } = termsOf(payment)
      const approvals = facts.events.filter((event) => isApproval(event, facts))
      const expected = payment.amount > 0n ? 1 : 0
      if (approvals.length !== expected) {
        return `the call makes ${approvals.length} allowances, expected ${expected}`
      }
      const topics = [address(payment.payer), address(policy.upto?.contract ?? '')]
      const data = vector(i128(ceiling), { type: 'u32', value: BigInt(expirationLedger) })
      return approvals.every((event) => says(event, topics, data))
        ? undefined
        : `the allowance is not one of ${ceiling} base units for ${policy.upto?.contract}, until ledger ${expirationLedger}`
    },
  ),

  rule(
    'the contract says what it settled',
    'invalid_exact_stellar_payload_event_not_transfer',
    (facts) => {
      const { payment } = facts
      const { ceiling } = termsOf(payment)
      const settled = facts.events.filter((event) => isSettled(event, facts))
      const data = vector(i128(ceiling), i128(payment.amount))
      const [only] = settled
      return only && settled.length === 1 && says(only, [address(payment.payer)], data)
        ? undefined
        : `the settlement contract does not say once that it settled ${payment.amount} of ${ceiling} base units of ${payment.payer}`
    },
  ),

  rule(
    'nothing moves for an amount of zero',
    'invalid_exact_stellar_payload_multiple_transfers',
    (facts) => {
      const { length } = transfers(facts)
      return facts.payment.amount === 0n && length > 0
        ? `the call makes ${length} transfers, expected none for an amount of zero`
        : undefined
    },
  ),

  ...transferChecks.map((one) => ({
    ...one,
    check: (facts: EventFacts) => (facts.payment.amount > 0n ? one.check(facts) : undefined),
  })),
]

/** Throws unless the checks of the call passed. */
function termsOf({ invocation }: PaymentCall): SettleTerms {
  const read = invocation.call && readSettleTerms(invocation.call)
  if (!read?.ok) throw new Error('the checks let another call than settle through')
  return read.terms
}

const isApproval = (event: HostEvent, { payment }: EventFacts): boolean =>
  event.contract === payment.asset.contract && isNamed(event, APPROVE)

const isSettled = (event: HostEvent, { policy }: EventFacts): boolean =>
  event.contract === policy.upto?.contract && isNamed(event, SETTLED)

const isNamed = ({ kind, topics: [name] }: HostEvent, expected: string): boolean =>
  kind === 'contract' && name?.type === 'symbol' && name.value === expected

/** The asset contract adds the asset's name to the topics of its own. */
const says = (event: HostEvent, topics: readonly ScValue[], data: ScValue): boolean =>
  isDeepStrictEqual(event.topics.slice(1, topics.length + 1), topics) &&
  isDeepStrictEqual(event.data, data)

const address = (value: string): ScValue => ({ type: 'address', value })
const i128 = (value: bigint): ScValue => ({ type: 'i128', value })
const vector = (...items: readonly ScValue[]): ScValue => ({ type: 'vec', items })
