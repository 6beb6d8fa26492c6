import type { Quote } from '../../checks/check-simulation.ts'
import type { ServedNetwork } from '../network/served-network.ts'

type SponsorSource = Pick<ServedNetwork, 'sponsorReserve'> & {
  readonly monitor: Pick<ServedNetwork['monitor'], 'spendable'>
}

/**
 * Whether the sponsor can pay for one more settlement: what it can spend covers the fee, and is not below its
 * reserve. The reserve also covers the claims of other replicas since the last poll. stellar-core refuses a
 * transaction when the fees of all queued ones of its fee source exceed what that account can spend.
 */
export function canSponsorPay(
  { monitor: { spendable }, sponsorReserve }: SponsorSource,
  { totalFee }: Pick<Quote, 'totalFee'>,
): boolean {
  return spendable !== undefined && spendable >= sponsorReserve && spendable >= totalFee
}
