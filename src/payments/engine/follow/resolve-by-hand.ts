import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { RecordedEnvelope, Settlement } from '../../store/settlements/settlement.ts'
import { finishSettlement } from '../../store/settlements/transitions/finish.ts'
import { type FinalLedgerOutcome, finalResult } from './final-result.ts'

/** The outcome that an administrator found by other means, such as a public explorer of the network. */
export type ManualResolution =
  | { readonly as: 'succeeded' | 'failed'; readonly ledger: number; readonly feeCharged: Stroops }
  | { readonly as: 'expired' }

/** An administrator may not resolve this settlement; the message says why. */
export class NotResolvable extends Error {
  override readonly name = 'NotResolvable'
}

/**
 * Throws `NotResolvable` for a settlement that is finished or that the ledger can still decide, and for an outcome that
 * cannot be the transaction's.
 */
export function requireResolvable(
  { state, recorded, unresolvableBecause }: Settlement,
  resolution: ManualResolution,
): RecordedEnvelope {
  if (state !== 'submitted' || !recorded) throw new NotResolvable(`the settlement is ${state}`)
  if (unresolvableBecause === undefined) {
    throw new NotResolvable('the ledger can still prove its outcome: a facilitator finishes it')
  }
  const { recordedAtLedger } = recorded
  if (resolution.as !== 'expired' && resolution.ledger <= recordedAtLedger) {
    throw new NotResolvable(
      `ledger ${resolution.ledger} cannot have the transaction: it was recorded when ledger ${recordedAtLedger} was the latest`,
    )
  }
  return recorded
}

/**
 * Finishes a settlement whose outcome the network can no longer prove. Refuses any other settlement: as
 * long as the ledger can prove the outcome, it decides. The next settlement on the channel reads its sequence
 * number from the ledger.
 *
 * @param settlement as it was read; throws `NotResolvable` when it was finished since then, as by another person
 */
export async function resolveSettlement(
  { db, notifyFreedChannels }: Pick<Store, 'db' | 'notifyFreedChannels'>,
  settlement: Settlement,
  resolution: ManualResolution,
): Promise<Settlement> {
  const { key, attempt } = settlement
  const recorded = requireResolvable(settlement, resolution)
  const result = finalResult({ ...settlement, recorded }, outcomeOf(resolution))
  const finished = await finishSettlement(db, { key, attempt, ...result, sequence: 'unknown' })
  if (!finished.isNew) {
    throw new NotResolvable(`the settlement is ${finished.settlement.state} by now, and stays so`)
  }
  notifyFreedChannels(key.network)
  return finished.settlement
}

function outcomeOf(resolution: ManualResolution): FinalLedgerOutcome {
  const because = 'as its administrator found'
  if (resolution.as === 'expired') return { kind: 'expired', because }
  const { as: kind, ledger, feeCharged } = resolution
  return { kind, ledger, feeCharged, because }
}
