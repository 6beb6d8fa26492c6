import type { Tenure } from '../channels/sponsor-transaction.ts'
import type { SteadyClock } from '../core/clock.ts'
import { SIGNING_MARGIN_SECONDS } from '../core/signing-margin.ts'
import type { Term } from '../kube/election.ts'
import type { Fence } from '../store/pools/fence.ts'

/** What the leading operator may do, and how long. */
export interface Leadership extends Tenure {
  /** For every write to a store. */
  readonly fence: Fence
  /** Throws `LeadershipTooShort` unless this process leads for that long even if it cannot renew its lease. */
  mayAct(seconds: number): void
  /** A later leader has written to a store: this process has to end. */
  onFenced(error: Error): void
}

/** Nothing was signed. After the next renewal of the lease there is enough time again. */
export class LeadershipTooShort extends Error {
  override readonly name = 'LeadershipTooShort'

  constructor(seconds: number, left: number) {
    super(
      `a transaction lives ${seconds} s, but the lease is certain for ${Math.floor(left)} s only`,
    )
  }
}

export interface LeadershipOptions {
  readonly term: Pick<Term, 'epoch' | 'validUntil'>
  /** Name of the election: the same for every term, and unique among operators that share a store. */
  readonly name: string
  readonly validitySeconds: number
  readonly clock: SteadyClock
  readonly onFenced: (error: Error) => void
}

/** The fence and the time limit that come with one term. */
export const leadershipOf = ({
  term,
  name,
  validitySeconds,
  clock,
  onFenced,
}: LeadershipOptions): Leadership => ({
  validitySeconds,
  fence: { name, epoch: BigInt(term.epoch) },
  mayAct(seconds) {
    const left = (term.validUntil() - clock.monotonic()) / 1_000
    if (left < seconds + SIGNING_MARGIN_SECONDS) throw new LeadershipTooShort(seconds, left)
  },
  onFenced,
})
