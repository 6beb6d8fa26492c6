import type { Stroops } from '../core/stroops.ts'
import type { Store } from '../store/open.ts'
import { finishSettlement } from '../store/settlements/finish.ts'
import type { Settlement } from '../store/settlements/settlement.ts'
import { endingOf, type FinalVerdict } from './ending.ts'

/** What an operator found out by other means, such as a public explorer of the network. */
export type Ruling =
  | { readonly as: 'succeeded' | 'failed'; readonly ledger: number; readonly feeCharged: Stroops }
  | { readonly as: 'expired' }

/** The settlement is not one that an operator may end; the message says why. */
export class NotResolvable extends Error {
  override readonly name = 'NotResolvable'
}

/**
 * Ends a settlement that the network can no longer tell about. Refuses any other: as long as the
 * ledger can be asked, it decides. The channel's sequence number is asked for before its next use.
 */
export async function resolveSettlement(
  { db }: Store,
  { key, attempt, state, recorded, unresolvableBecause }: Settlement,
  ruling: Ruling,
): Promise<Settlement> {
  if (state !== 'submitted' || !recorded) throw new NotResolvable(`the settlement is ${state}`)
  if (unresolvableBecause === undefined) {
    throw new NotResolvable('the ledger can still tell what became of it: it ends by itself')
  }
  const ending = endingOf({ key, attempt, recorded }, verdictOf(ruling))
  const finished = await finishSettlement(db, { key, attempt, ...ending, sequence: 'unknown' })
  return finished.settlement
}

function verdictOf(ruling: Ruling): FinalVerdict {
  const because = 'as its operator found'
  if (ruling.as === 'expired') return { kind: 'expired', because }
  return { kind: ruling.as, ledger: ruling.ledger, feeCharged: ruling.feeCharged, because }
}
