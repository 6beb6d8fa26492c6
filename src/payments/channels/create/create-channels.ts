import { formatXlm } from '../../../platform/core/amounts/stroops.ts'
import { provisionEnvelope } from '../../../stellar/transactions/channel-envelopes.ts'
import {
  type SponsorOutcome,
  type SponsorTransaction,
  sendForSponsor,
} from '../sponsor-transaction.ts'

/** The sponsor cannot create channels; the message says why and what to do. */
export class ProvisionFailure extends Error {
  override readonly name = 'ProvisionFailure'
}

export const noSuchSponsor = (network: string, address: string): ProvisionFailure =>
  new ProvisionFailure(`sponsor ${address} does not exist on ${network}: send it XLM first`)

/** Result codes caused by another process that provisions, or by a busy network: the caller tries again. */
const transient = new Set([
  'txBadSeq',
  'txInsufficientFee',
  'txTooLate',
  'createAccountAlreadyExist',
])

/** Creates some channels in one transaction: all or none. */
export const createChannels = (
  options: SponsorTransaction & { readonly network: string },
): Promise<SponsorOutcome> => {
  const { network, sponsor, channels } = options
  return sendForSponsor(options, {
    envelope: provisionEnvelope,
    transient,
    noSponsor: () => noSuchSponsor(network, sponsor.address),
    refused: (code, balance) =>
      new ProvisionFailure(
        `sponsor ${sponsor.address} with ${formatXlm(balance)} could not create ` +
          `${channels.length} channels on ${network}: ${code}. ` +
          'Each channel locks 1 XLM of its balance.',
      ),
  })
}
