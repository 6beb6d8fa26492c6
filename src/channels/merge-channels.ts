import { formatXlm } from '../core/stroops.ts'
import { retireEnvelope } from '../stellar/channel-envelopes.ts'
import {
  type SponsorOutcome,
  type SponsorTransaction,
  sendForSponsor,
} from './sponsor-transaction.ts'

/** The channels cannot be merged; the message says why and what to do. */
export class RetireFailure extends Error {
  override readonly name = 'RetireFailure'
}

/**
 * Result codes caused by another process that retires, or by a busy network: the caller tries again.
 * `opNoAccount`: a channel of the batch is already merged.
 */
const transient = new Set(['txBadSeq', 'txInsufficientFee', 'txTooLate', 'opNoAccount'])

/** Merges some channels into the sponsor in one transaction: all or none. */
export const mergeChannels = (
  options: SponsorTransaction & { readonly network: string },
): Promise<SponsorOutcome> => {
  const { network, sponsor, channels } = options
  return sendForSponsor(options, {
    envelope: retireEnvelope,
    transient,
    noSponsor: () =>
      new RetireFailure(
        `sponsor ${sponsor.address} does not exist on ${network}: ` +
          'send it 2 XLM to merge its channels with',
      ),
    refused: (code, balance) =>
      new RetireFailure(
        `sponsor ${sponsor.address} with ${formatXlm(balance)} could not merge ` +
          `${channels.length} channels on ${network}: ${code}. ` +
          'Beyond what is locked it needs the fee, one bid for each channel.',
      ),
  })
}
