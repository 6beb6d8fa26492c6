import type { ContractEvent } from '../../stellar/history/scan-event.ts'
import type { SkipReason } from '../observed-payment.ts'
import { amountIn, type PaymentTerms } from './payment-terms.ts'

/**
 * The contract of the profile `authority-v1` publishes `upto_settled` with each settlement, one of nothing included: the
 * payer, the ceiling and what was taken (`contracts/upto`). It has to say what the call says. Contracts of other designs
 * publish no such event or one of another form, which says nothing here: then the call alone counts.
 */
export function checkSettledEvent(
  terms: PaymentTerms,
  settlementContract: string,
  events: readonly ContractEvent[],
): SkipReason | undefined {
  const published = events
    .filter(({ contract }) => contract === settlementContract)
    .flatMap((event) => readSettled(event) ?? [])
  const isOfTerms = published.every(
    ({ payer, ceiling, actual }) =>
      payer === terms.buyer && ceiling === terms.ceiling && actual === terms.amount,
  )
  return isOfTerms && published.length < 2 ? undefined : 'no_matching_settlement'
}

interface Settled {
  readonly payer: string
  readonly ceiling: bigint
  readonly actual: bigint
}

function readSettled({ topics, data }: ContractEvent): Settled | undefined {
  const [name, payer] = topics
  if (name?.type !== 'symbol' || name.value !== 'upto_settled') return undefined
  if (topics.length !== 2 || payer?.type !== 'address' || data.type !== 'vec') return undefined
  const [ceiling, actual] = data.items.map(amountIn)
  if (data.items.length !== 2 || ceiling === undefined || actual === undefined) return undefined
  return { payer: payer.value, ceiling, actual }
}
