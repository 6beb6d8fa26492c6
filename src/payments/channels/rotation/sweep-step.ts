/** Sends XLM of the old sponsor to the new one, as a phase of `svc rotate` asks for. */
import { signerFromSecret } from '../../../stellar/accounts/signer.ts'
import { unlockedBalance } from '../minimum-balance.ts'
import type { Payer } from '../retire/rescue.ts'
import { leaseSource } from '../transaction-source.ts'
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
  const sponsor = signerFromSecret(options.from)
  const common = { ...options, sponsor, to: otherPayer.signer.address, otherPayer }
  if (sending.do === 'sweep') {
    const how = sending.how === 'merge' ? 'Merge' : 'Payment'
    return sweepFunds({ ...common, how, keep: 0n, least: 1n })
  }
  // Beside settlements of the old sponsor, of which it keeps what was left out.
  const keep = account ? unlockedBalance(account) - sending.amount - 2n * options.inclusionFee : 0n
  const source = { leaseSource: leaseOf(options, options.from) }
  return sweepFunds({ ...common, ...source, how: 'Payment', keep, least: LEAST_SAVED })
}

const leaseOf = (options: RotationOptions, sponsorSecret: string) => () =>
  leaseSource({ ...options, sponsorSecret, inStore: (run) => run(options.store.db) })

/** The new sponsor, which may serve already. */
export const newPayer = (options: RotationOptions): Payer => ({
  signer: signerFromSecret(options.to),
  leaseSource: leaseOf(options, options.to),
})
