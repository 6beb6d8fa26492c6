import type { Tenure } from '../channels/sponsor-transaction.ts'
import type { SteadyClock } from '../core/clock.ts'
import type { Term } from '../kube/election.ts'
import type { Fence } from '../store/pools/fence.ts'

/** What an operator that leads may do, and how long. */
export interface Leadership extends Tenure {
  /** For everything that is written to a store. */
  readonly fence: Fence
  /**
   * Throws `LeadershipTooShort` unless this process leads for as many seconds more, whatever happens to
   * its connection to the API server.
   */
  mayAct(seconds: number): void
  /** Somebody else has written under a later leadership: the process has to end. */
  onFenced(error: Error): void
}

/** Nothing was signed; after the next renewal of the lease there is time again. */
export class LeadershipTooShort extends Error {
  override readonly name = 'LeadershipTooShort'

  constructor(seconds: number, left: number) {
    super(
      `a transaction lives ${seconds} s, but the lease is certain for ${Math.floor(left)} s only`,
    )
  }
}

/**
 * Beyond what a transaction lives: clocks of ledgers and of this machine do not agree to the second.
 * The configuration counts with it, too.
 */
const MARGIN_SECONDS = 2

export interface LeadershipOptions {
  readonly term: Pick<Term, 'epoch' | 'validUntil'>
  /** The election's name, the same for every term and of no other election that may share a store. */
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
    if (left < seconds + MARGIN_SECONDS) throw new LeadershipTooShort(seconds, left)
  },
  onFenced,
})
