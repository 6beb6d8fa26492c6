/** Sends XLM of the old sponsor to the new one, as a phase of `svc rotate` asks for. */
import { plainWrites } from '../../store/pools/fence.ts'
import { payerOf } from '../converge/access.ts'
import { unlockedBalance } from '../minimum-balance.ts'
import type { Payer } from '../retire/rescue.ts'
import type { SponsorKeys } from '../sponsor-keys.ts'
import { LEAST_SAVED, type Sending } from './facts.ts'
import type { RotationOptions } from './options.ts'
import { type SweepOutcome, sweepFunds } from './sweep-funds.ts'
import type { RotationView } from './view.ts'

export function sendFunds(
  options: RotationOptions,
  sending: Sending,
  { from: { account } }: RotationView,
): Promise<SweepOutcome> {
  const otherPayer = newPayer(options)
  const { signer: sponsor, leaseSource } = payerWith(options, options.from)
  const common = { ...options, sponsor, to: otherPayer.signer.address, otherPayer }
  if (sending.do === 'sweep') {
    const how = sending.how === 'merge' ? 'Merge' : 'Payment'
    return sweepFunds({ ...common, how, keep: 0n, least: 1n })
  }
  // The old sponsor's settlements go on meanwhile: it keeps the XLM that the amount leaves out for them.
  const keep = account ? unlockedBalance(account) - sending.amount - 2n * options.inclusionFee : 0n
  return sweepFunds({ ...common, leaseSource, how: 'Payment', keep, least: LEAST_SAVED })
}

/** One of the two, which may serve. */
const payerWith = (options: RotationOptions, keys: SponsorKeys): Payer =>
  payerOf({ ...options, keys, write: plainWrites(options.store.db) })

/** The new sponsor. */
export const newPayer = (options: RotationOptions): Payer => payerWith(options, options.to)
