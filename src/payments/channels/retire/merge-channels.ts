import { asStroops, formatXlm } from '../../../platform/core/amounts/stroops.ts'
import {
  retireEnvelope,
  type SponsorPayment,
} from '../../../stellar/transactions/channel-envelopes.ts'
import {
  type SponsorOutcome,
  type SponsorTransaction,
  sendForSponsor,
} from '../sponsor-transaction.ts'
import { freedPayment, paidBy, type Rescue } from './rescue.ts'

/** The channels cannot be merged; the message says why and what to do. */
export class RetireFailure extends Error {
  override readonly name = 'RetireFailure'
}

export const sponsorMissing = (network: string, address: string): RetireFailure =>
  new RetireFailure(
    `sponsor ${address} does not exist on ${network}: send it 2 XLM to merge its channels with`,
  )

/** Others spent it first, or it pays less reserves than it seemed. */
const UNDERFUNDED = 'paymentUnderfunded'

/**
 * Result codes caused by another process that retires, or by a busy network: the caller tries again.
 * `opNoAccount`: a channel of the batch is already merged.
 */
const transient = new Set([
  'txBadSeq',
  'txInsufficientFee',
  'txTooLate',
  'opNoAccount',
  UNDERFUNDED,
])

export interface MergeTransaction extends SponsorTransaction {
  /** Present where others may know the sponsor's seed. */
  readonly rescue?: Rescue | undefined
}

export type MergeOutcome = SponsorOutcome & {
  /** The sum that the sponsor paid to the other one in the same transaction. */
  readonly rescued?: SponsorPayment | undefined
}

/** Merges some channels into the sponsor in one transaction: all or none. */
export async function mergeChannels(options: MergeTransaction): Promise<MergeOutcome> {
  const { rescue, channels, mark, inclusionFee } = options
  if (!rescue) return merge(options)
  const operations = channels.length + (mark ? 1 : 0) + 2
  const fee = BigInt(operations) * inclusionFee
  const paid = await paidBy(options, rescue, { ...rescue, fee })
  const terms = { ...options, ...paid.by }
  const more = { rescue, transient: new Set([...transient, ...paid.transient]) }
  const outcome = await merge(terms, more)
  if (outcome.kind === 'done' || outcome.because !== UNDERFUNDED) return outcome
  const without = await merge(terms, { ...more, rescue: undefined })
  return { ...without, feeCharged: asStroops(outcome.feeCharged + without.feeCharged) }
}

interface More {
  readonly rescue?: Rescue | undefined
  readonly transient: ReadonlySet<string>
}

async function merge(
  options: MergeTransaction,
  { rescue, transient: codes }: More = { transient },
): Promise<MergeOutcome> {
  const { network, sponsor, channels } = options
  let rescued: SponsorPayment | undefined
  const outcome = await sendForSponsor(options, {
    envelope: (terms, account) => {
      rescued = rescue && freedPayment(terms, account, rescue)
      return retireEnvelope(terms, rescued)
    },
    transient: codes,
    noSponsor: () => sponsorMissing(network, sponsor.address),
    refused: (code, balance) =>
      new RetireFailure(
        `sponsor ${sponsor.address} with ${formatXlm(balance)} could not merge ` +
          `${channels.length} channels on ${network}: ${code}. ` +
          (options.rescue
            ? `Send 1 XLM to ${options.rescue.signer.address}, which pays for it.`
            : 'Beyond what is locked it needs the fee, one bid for each channel.'),
      ),
  })
  return outcome.kind === 'done' ? { ...outcome, rescued } : outcome
}
