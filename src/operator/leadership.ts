import type { Fence } from '../store/pools/epoch.ts'

/** What an operator that leads may do, and how long. */
export interface Leadership {
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

/** Beyond what a transaction lives: clocks of ledgers and of this machine do not agree to the second. */
export const MARGIN_SECONDS = 2
