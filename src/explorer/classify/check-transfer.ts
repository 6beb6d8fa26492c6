import { baseAddress } from '../../stellar/accounts/strkey.ts'
import type { ContractEvent } from '../../stellar/history/scan/scan-event.ts'
import type { ScValue } from '../../stellar/values/sc-value.ts'
import type { SkipReason } from '../observed-payment.ts'
import { amountIn, type PaymentTerms } from './payment-terms.ts'

/** The facts that the token's event adds to the terms of a payment. */
export interface ReportedTransfer {
  /** The asset that the token says it is; any contract can say anything. */
  readonly assetName?: string
  /** Where the event has one (CAP-67). */
  readonly muxedId?: bigint
}

/**
 * The token of a payment has to report one transfer, of these terms. An `upto` payment of nothing may move nothing.
 * Events of other contracts, and those of the token that are no transfers, such as an approval, may be there beside.
 */
export function checkTransfer(
  terms: PaymentTerms,
  events: readonly ContractEvent[],
): ReportedTransfer | SkipReason {
  const transfers = events.filter((event) => isTransfer(event) && event.contract === terms.asset)
  const [event, ...others] = transfers
  if (others.length > 0) return 'several_transfers'
  if (!event) return terms.amount === 0n ? {} : 'no_matching_transfer'
  const transfer = readTransfer(event)
  const isOfTerms =
    transfer?.from === terms.buyer &&
    transfer.to === terms.seller &&
    transfer.amount === terms.amount
  return isOfTerms ? transfer : 'no_matching_transfer'
}

function isTransfer({ topics: [name] }: ContractEvent): boolean {
  return name?.type === 'symbol' && name.value === 'transfer'
}

interface Transfer extends ReportedTransfer {
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

/** Tokens of their own have three topics (SEP-41); asset contracts have the name of the asset as fourth. */
function readTransfer({ topics, data }: ContractEvent): Transfer | undefined {
  const [, from, to, asset] = topics
  const amount = amountIn(memberOf(data, 'amount') ?? data)
  const id = memberOf(data, 'to_muxed_id')
  if (from?.type !== 'address' || to?.type !== 'address' || amount === undefined) return undefined
  return {
    from: baseAddress(from.value),
    to: baseAddress(to.value),
    amount,
    ...(asset?.type === 'string' && { assetName: asset.value }),
    // In a classic payment this member may be a memo: text or bytes.
    ...(id?.type === 'u64' && { muxedId: id.value }),
  }
}

function memberOf(value: ScValue, name: string): ScValue | undefined {
  if (value.type !== 'map') return undefined
  return value.entries.find(([key]) => key.type === 'symbol' && key.value === name)?.[1]
}
