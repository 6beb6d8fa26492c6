/** What the buyers and the seller saw of a rotation: the counts of a part of the load. */
import { countPayments, type LoadRow } from '../../../e2e/support/load/count.ts'
import { transfersFrom } from '../../../e2e/support/load/ledger.ts'
import type { PaymentRecord } from '../../../e2e/support/load/records.ts'

/** An answer of the facilitator that no channel of the sponsor was free in time. */
const NO_CHANNEL = 'settle_exact_stellar_channel_unavailable'

export interface PartCounts
  extends Pick<LoadRow, 'payments' | 'requests' | 'failed' | 'lost' | 'doubled' | 'untrue'> {
  /** Of the failed requests, those refused for want of a channel. */
  readonly channelless: number
  /** Each failed request, and each payment that was lost, doubled or answered untruly. */
  readonly details: readonly string[]
}

/** Unix ms. */
export interface Period {
  readonly from: number
  readonly to: number
}

/**
 * Counts the payments that began in this period and have ended.
 *
 * @param startLedger the first one that can have a transfer of them
 */
export async function countPart(
  rpcUrl: string,
  records: readonly PaymentRecord[],
  startLedger: number,
  { from, to }: Period,
): Promise<PartCounts> {
  const part = records.filter(({ begunAt }) => from <= begunAt && begunAt < to)
  // Transfers of other periods would count as unexpected ones.
  const amounts = new Set(part.map(({ amount }) => amount))
  const all = await transfersFrom(rpcUrl, startLedger)
  const transfers = all.filter(({ amount }) => amounts.has(amount))
  const { payments, requests, failed, lost, doubled, untrue, failures, problems } = countPayments(
    part,
    transfers,
  )
  const channelless = part
    .filter(({ isSigned }) => isSigned)
    .flatMap((record) => record.requests)
    .filter(({ reason }) => reason === NO_CHANNEL).length
  const details = [...failures, ...problems]
  return { payments, requests, failed, channelless, lost, doubled, untrue, details }
}
