import { asStroops, formatXlm, type Stroops } from '../../core/stroops.ts'
import {
  type ChannelTerms,
  handOverEnvelope,
  mergeSponsorEnvelope,
  paySponsorsEnvelope,
  type SignedEnvelope,
} from '../../stellar/channel-envelopes.ts'
import { signerFromSecret } from '../../stellar/signer.ts'
import { afterTries } from '../after-tries.ts'
import { type SponsorOutcome, sendForSponsor } from '../sponsor-transaction.ts'
import { leaseSource } from '../transaction-source.ts'
import type { RotationOptions } from './options.ts'

/** The old sponsor's XLM could not be sent; the message says why and what to do. */
export class SweepFailure extends Error {
  override readonly name = 'SweepFailure'
}

/** Another process has merged it into the new sponsor. */
class SponsorGone extends Error {
  override readonly name = 'SponsorGone'
  override readonly message = 'the account of the old sponsor has ended'
}

/** Another one pays the reserve. */
const NOT_SPONSOR = 'revokeSponsorshipNotSponsor'

/** Result codes caused by another process that uses the sponsor, or by a busy network. */
const transient = new Set([
  'txBadSeq',
  'txInsufficientFee',
  'txTooLate',
  'accountMergeSeqnumTooFar',
  // Somebody else with the seed has spent it, or an endpoint is behind.
  'paymentUnderfunded',
  // It has merged the channel that was the source of the transaction.
  'txNoAccount',
  NOT_SPONSOR,
])

export const MAX_FAILED_ATTEMPTS = 10
const RETRY_PAUSE_MS = 1_000

/** Sends a transaction of the old sponsor. `again`: the caller reads store and ledger anew. */
const send = async (
  { from, ...options }: RotationOptions,
  what: string,
  envelope: (terms: ChannelTerms) => SignedEnvelope,
  besideSettlements = false,
): Promise<SponsorOutcome> => {
  const sponsor = signerFromSecret(from)
  const { network, store } = options
  const sending = sendForSponsor(
    {
      ...options,
      sponsor,
      channels: [],
      leaseSource: besideSettlements
        ? () =>
            leaseSource({ ...options, sponsorSecret: from, inStore: (run) => run(store.db), store })
        : undefined,
    },
    {
      envelope,
      transient,
      noSponsor: () => new SponsorGone(),
      refused: (code, balance) =>
        new SweepFailure(
          `the old sponsor ${sponsor.address} with ${formatXlm(balance)} could not ${what} on ${network}: ${code}`,
        ),
    },
  )
  try {
    return await sending
  } catch (error) {
    if (error instanceof SponsorGone) return { kind: 'again', because: error.message }
    throw error
  }
}

/** Pays XLM of the old sponsor to the new one. @param besideSettlements settlements of the old sponsor may be pending */
export const payNewSponsor = (
  options: RotationOptions,
  amount: bigint,
  besideSettlements = false,
): Promise<SponsorOutcome> => {
  const destination = signerFromSecret(options.to).address
  const what = `send ${formatXlm(amount)} to ${destination}`
  return send(
    options,
    what,
    (terms) => paySponsorsEnvelope(terms, { destination, amount: asStroops(amount) }),
    besideSettlements,
  )
}

/** Ends the old sponsor's account: the new one gets its whole balance. */
export const mergeIntoNewSponsor = (options: RotationOptions): Promise<SponsorOutcome> => {
  const destination = signerFromSecret(options.to).address
  return send(options, `be merged into ${destination}`, (terms) =>
    mergeSponsorEnvelope(terms, destination),
  )
}

/** The new sponsor pays the reserve of this account from now on. Returns the fee that the old one paid for that. */
export async function handOver(options: RotationOptions, account: string): Promise<Stroops> {
  const to = signerFromSecret(options.to)
  let because = ''
  for (let failed = 0; failed < MAX_FAILED_ATTEMPTS; failed += 1) {
    const outcome = await send(options, `hand over the reserve of ${account}`, (terms) =>
      handOverEnvelope(terms, { to, account }),
    )
    if (outcome.kind === 'done') return outcome.feeCharged
    because = outcome.because
    if (because === NOT_SPONSOR) return asStroops(0n)
    await options.clock.sleep(RETRY_PAUSE_MS, options.signal)
  }
  throw new SweepFailure(
    `the reserve of ${account} could not be handed over ${afterTries(MAX_FAILED_ATTEMPTS, because)}`,
  )
}
