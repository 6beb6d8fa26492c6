/** Which transactions a ledger takes when there are more than fit, and what they pay (CAP-5). */

import type { Envelope } from './envelope.ts'
import { byFeeRateDescending, feeRate } from './fee-rate.ts'
import { BASE_FEE } from './fees.ts'
import {
  fitsWithin,
  type LedgerLimits,
  minus,
  type Phase,
  phaseOf,
  takes,
} from './ledger-resources.ts'
import { ParallelTxSetBuilder } from './parallel-tx-set-builder.ts'

/** Stroops for each operation, by kind of transaction. */
export type BaseFees = Readonly<Record<Phase, bigint>>

export interface Selection {
  readonly included: readonly Envelope[]
  readonly baseFees: BaseFees
}

export function applySurgePricing(envelopes: readonly Envelope[], room: LedgerLimits): Selection {
  const classic = selectPhase(envelopes, 'classic', room)
  const soroban = selectPhase(envelopes, 'soroban', room)
  return {
    included: [...classic.included, ...soroban.included],
    baseFees: { classic: classic.baseFee, soroban: soroban.baseFee },
  }
}

/**
 * The best bids first; one that does not fit leaves its place to smaller ones after it. As soon as
 * something was left out, all pay the lowest rate among those that are in.
 */
function selectPhase(
  envelopes: readonly Envelope[],
  phase: Phase,
  room: LedgerLimits,
): { readonly included: readonly Envelope[]; readonly baseFee: bigint } {
  const clusters = new ParallelTxSetBuilder(room)
  const included: Envelope[] = []
  const candidates = envelopes.filter((envelope) => phaseOf(envelope) === phase)
  let left = room[phase]
  for (const envelope of candidates.toSorted(byFeeRateDescending)) {
    const taken = takes(envelope)
    if (!fitsWithin(taken, left) || !clusters.add(envelope)) continue
    left = minus(left, taken)
    included.push(envelope)
  }
  const lowest = included.at(-1)
  const surges = lowest !== undefined && included.length < candidates.length
  return { included, baseFee: surges ? feeRate(lowest) : BASE_FEE }
}
