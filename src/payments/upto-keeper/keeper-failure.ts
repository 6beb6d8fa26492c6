import type { KeeperWork } from '../store/upto/keeper-transactions.ts'

/** `refused`: nothing was sent, or the network refused it. */
export type WorkOutcome = 'succeeded' | 'failed' | 'expired' | 'refused'

/**
 * The work on a settlement contract could not be done; the message says why and what to do.
 * @param because completes `could not extend: `
 */
export class KeeperFailure extends Error {
  override readonly name = 'KeeperFailure'
  readonly action: KeeperWork
  readonly outcome: WorkOutcome

  constructor(action: KeeperWork, outcome: WorkOutcome, because: string) {
    super(`could not ${action}: ${because}`)
    this.action = action
    this.outcome = outcome
  }
}
