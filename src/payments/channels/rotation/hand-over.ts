import { asStroops, formatXlm, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import { handOverEnvelope } from '../../../stellar/transactions/channel-envelopes.ts'
import { afterTries } from '../after-tries.ts'
import { type SponsorOutcome, sendForSponsor } from '../sponsor-transaction.ts'
import type { RotationOptions } from './options.ts'
import { MAX_FAILED_ATTEMPTS, SweepFailure } from './sweep-failure.ts'

/** The result code when another account pays the reserve. */
const NOT_SPONSOR = 'revokeSponsorshipNotSponsor'

/** Result codes caused by another process that uses the sponsor, or by a busy network. */
const transient = new Set(['txBadSeq', 'txInsufficientFee', 'txTooLate', NOT_SPONSOR])

const RETRY_PAUSE_MS = 1_000

/** The new sponsor pays the reserve of this account from now on. Returns the fee that the old one paid for that. */
export async function handOver(options: RotationOptions, account: string): Promise<Stroops> {
  let because = ''
  let fees = 0n
  for (let failed = 0; failed < MAX_FAILED_ATTEMPTS; failed += 1) {
    const outcome = await send(options, account)
    fees += outcome.feeCharged
    if (outcome.kind === 'done') return asStroops(fees)
    because = outcome.because
    if (because === NOT_SPONSOR) return asStroops(fees)
    await options.clock.sleep(RETRY_PAUSE_MS, options.signal)
  }
  throw new SweepFailure(
    `the reserve of ${account} could not be handed over ${afterTries(MAX_FAILED_ATTEMPTS, because)}`,
  )
}

function send(options: RotationOptions, account: string): Promise<SponsorOutcome> {
  const sponsor = options.from.signer
  const to = options.to.signer
  return sendForSponsor(
    { ...options, sponsor, channels: [] },
    {
      envelope: (terms) => handOverEnvelope(terms, { to, account }),
      transient,
      noSponsor: () => new SweepFailure(`the old sponsor ${sponsor.address} does not exist`),
      refused: (code, balance) =>
        new SweepFailure(
          `the old sponsor ${sponsor.address} with ${formatXlm(balance)} could not hand over the reserve of ${account}: ${code}`,
        ),
    },
  )
}
