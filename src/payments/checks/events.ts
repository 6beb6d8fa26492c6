/** Reads the events of a simulated call: which transfers it makes, and what it does besides. */

import { baseAddress, muxedId } from '../../stellar/accounts/strkey.ts'
import { callsInProgress } from '../../stellar/values/call-stack.ts'
import { type HostEvent, isOnLedger, type ScValue } from '../../stellar/values/sc-value.ts'
import type { EventFacts } from '../schemes/scheme.ts'
import { type Check, rule } from './check.ts'

/** Drops diagnostic events, and events of calls that were rolled back. */
export const ledgerEvents = (events: readonly HostEvent[]): HostEvent[] => events.filter(isOnLedger)

/**
 * The events that were emitted while the `__check_auth` of a smart account ran, by itself or by a contract
 * below it. Empty when the endpoint leaves out the diagnostic events that show it.
 */
export const checkAuthEvents = (events: readonly HostEvent[], payer: string): Set<HostEvent> =>
  new Set(
    [...callsInProgress(events)].flatMap(([event, calls]) =>
      calls.some(({ contract, functionName }) => contract === payer && functionName === CHECK_AUTH)
        ? [event]
        : [],
    ),
  )

/** Contracts cannot call it: only the host does, to have an authorization checked. */
const CHECK_AUTH = '__check_auth'

export const eventsNameContracts: Check<EventFacts> = rule(
  'every event names a contract',
  'invalid_exact_stellar_payload_event_missing_contract_id',
  ({ events }) =>
    events.some(({ contract }) => contract === undefined)
      ? 'the call emits an event without a contract id'
      : undefined,
)

export const transfersOfAsset: Check<EventFacts> = rule(
  'every transfer is of the asset',
  'invalid_exact_stellar_payload_event_wrong_asset',
  (facts) => {
    const { contract } = facts.payment.asset
    const other = foreignEvents(facts).find(
      (event) => isTransfer(event) && event.contract !== contract,
    )
    return other && `contract ${other.contract} emits a transfer, expected only ${contract}`
  },
)

/** There is one transfer of the asset, and it is the payment. */
export const transferChecks: readonly Check<EventFacts>[] = [
  rule('there is a transfer', 'invalid_exact_stellar_payload_no_transfer_events', (facts) =>
    transfers(facts).length === 0
      ? `the call emits no transfer event of ${facts.payment.asset.contract}`
      : undefined,
  ),

  rule('there is one transfer', 'invalid_exact_stellar_payload_multiple_transfers', (facts) => {
    const { length } = transfers(facts)
    return length > 1 ? `the call makes ${length} transfers, expected one` : undefined
  }),

  rule('it is from the payer', 'invalid_exact_stellar_payload_event_wrong_from', (facts) => {
    const from = shownAddress(transfers(facts)[0]?.topics[1])
    const { payer } = facts.payment
    return from === payer ? undefined : `the transfer is from ${from}, expected ${payer}`
  }),

  rule('it is to payTo', 'invalid_exact_stellar_payload_event_wrong_to', (facts) => {
    const event = transfers(facts)[0]
    const { payTo } = facts.payment
    const to = shownAddress(event?.topics[2])
    if (to !== baseAddress(payTo)) return `the transfer is to ${to}, expected ${payTo}`
    const id = event && transferred(event.data).muxedId
    return id === muxedId(payTo)
      ? undefined
      : `the transfer carries the id ${id ?? 'none'}, expected ${muxedId(payTo) ?? 'none'}`
  }),

  rule('it is of the amount', 'invalid_exact_stellar_payload_event_wrong_amount', (facts) => {
    const event = transfers(facts)[0]
    const amount = event && transferred(event.data).amount
    return amount === facts.payment.amount
      ? undefined
      : `the transfer is for ${amount ?? 'no readable amount'}, expected ${facts.payment.amount}`
  }),
]

/**
 * Events that neither the payer's own contract emits nor, except for a token's, a contract that its
 * `__check_auth` calls. The asset's events always count.
 */
export const foreignEvents = ({ payment, events, eventsOfCheckAuth }: EventFacts): HostEvent[] =>
  events.filter((event) => {
    if (event.contract === payment.asset.contract) return true
    if (event.contract === payment.payer) return false
    return !eventsOfCheckAuth.has(event) || isOfToken(event)
  })

/** Events by which a token reports a changed balance or allowance (SEP-41). */
const tokenEvents: readonly string[] = ['transfer', 'mint', 'burn', 'clawback', 'approve']

const isOfToken = ({ topics: [name] }: HostEvent): boolean =>
  name?.type === 'symbol' && tokenEvents.includes(name.value)

export const transfers = (facts: EventFacts): HostEvent[] =>
  facts.events.filter(
    (event) => event.contract === facts.payment.asset.contract && isTransfer(event),
  )

/** SEP-41: `["transfer", from, to, ...]`; the asset contract adds the asset's name. */
export const isTransfer = ({ kind, topics }: HostEvent): boolean =>
  kind === 'contract' &&
  topics.length >= 3 &&
  topics[0]?.type === 'symbol' &&
  topics[0].value === 'transfer'

export const topicName = ({ kind, topics }: HostEvent): string =>
  topics[0]?.type === 'symbol' ? `${kind} event ${topics[0].value}` : `a ${kind} event`

/** A payment to an asset's issuer burns it, one by the issuer mints it. */
export const issuerHint = ({ topics }: HostEvent): string =>
  topics[0]?.type === 'symbol' && ['burn', 'mint'].includes(topics[0].value)
    ? "; the asset's issuer can neither pay nor be paid"
    : ''

const shownAddress = (value: ScValue | undefined): string =>
  value?.type === 'address' ? value.value : `a value of type ${value?.type ?? 'none'}`

/** The amount alone, or a map with the id of the muxed recipient beside it (CAP-67). */
function transferred(data: ScValue): { amount?: bigint; muxedId?: bigint } {
  if (data.type === 'i128') return { amount: data.value }
  if (data.type !== 'map') return {}
  const member = (name: string) =>
    data.entries.find(([key]) => key.type === 'symbol' && key.value === name)?.[1]
  const amount = member('amount')
  const id = member('to_muxed_id')
  return {
    ...(amount?.type === 'i128' && { amount: amount.value }),
    ...(id?.type === 'u64' && { muxedId: id.value }),
  }
}
