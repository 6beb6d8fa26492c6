import type { Tenure } from '../../../payments/channels/sponsor-transaction.ts'
import type { Fence } from '../../../payments/store/pools/fence.ts'
import type { SteadyClock } from '../../../platform/core/time/clock.ts'
import { SIGNING_MARGIN_SECONDS } from '../../../platform/core/time/signing-margin.ts'
import type { Term } from '../../runtime/election/election.ts'

/** The fence and the time limit under which the leading operator writes and signs. */
export interface Leadership extends Tenure {
  /** The fence for every write to a store. */
  readonly fence: Fence
  /** Throws `LeadershipTooShort` unless this process leads for that long even if it cannot renew its lease. */
  assertLasts(seconds: number): void
}

/** Nothing was signed: the lease ends too soon. The next renewal gives enough time. */
export class LeadershipTooShort extends Error {
  override readonly name = 'LeadershipTooShort'

  constructor(seconds: number, left: number) {
    super(
      `a transaction is valid for ${seconds} s, but the lease is certain for only ${Math.floor(left)} s`,
    )
  }
}

export interface LeadershipOptions {
  readonly term: Pick<Term, 'epoch' | 'validUntil'>
  /** Name of the election: the same for every term, and unique among operators that share a store. */
  readonly name: string
  readonly validitySeconds: number
  readonly clock: SteadyClock
}

/** The fence and the time limit that come with one term. */
export const leadershipOf = ({
  term,
  name,
  validitySeconds,
  clock,
}: LeadershipOptions): Leadership => ({
  validitySeconds,
  fence: { name, epoch: BigInt(term.epoch) },
  assertLasts(seconds) {
    const left = (term.validUntil() - clock.monotonic()) / 1_000
    if (left < seconds + SIGNING_MARGIN_SECONDS) throw new LeadershipTooShort(seconds, left)
  },
})
