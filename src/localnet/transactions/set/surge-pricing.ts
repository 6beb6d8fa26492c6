/** Chooses the transactions that a ledger includes when more wait than fit, and the fee that they pay (CAP-5). */
import type { Envelope } from '../envelope.ts'
import { BASE_FEE, byFeeRateDescending, feeRate } from '../fees/fees.ts'
import {
  fitsWithin,
  type LedgerLimits,
  type Phase,
  phaseOf,
  resourcesOf,
  subtractResources,
} from '../soroban/ledger-resources.ts'
import { ParallelTxSetBuilder } from './parallel-tx-set-builder.ts'

/** Stroops per operation, by phase. */
export type BaseFees = Readonly<Record<Phase, bigint>>

export interface Selection {
  readonly included: readonly Envelope[]
  readonly baseFees: BaseFees
  /** The cluster of an included Soroban transaction (CAP-63). */
  readonly clusterOf: (envelope: Envelope) => number
}

export function applySurgePricing(envelopes: readonly Envelope[], limits: LedgerLimits): Selection {
  const classic = selectPhase(envelopes, 'classic', limits)
  const soroban = selectPhase(envelopes, 'soroban', limits)
  return {
    included: [...classic.included, ...soroban.included],
    baseFees: { classic: classic.baseFee, soroban: soroban.baseFee },
    clusterOf: soroban.clusterOf,
  }
}

/**
 * Takes the highest fee rates first, and skips a transaction that does not fit. When one was skipped,
 * the lowest included fee rate is the base fee of the phase.
 */
function selectPhase(
  envelopes: readonly Envelope[],
  phase: Phase,
  limits: LedgerLimits,
): Pick<Selection, 'included' | 'clusterOf'> & { readonly baseFee: bigint } {
  const builder = new ParallelTxSetBuilder(limits)
  const included: Envelope[] = []
  const candidates = envelopes.filter((envelope) => phaseOf(envelope) === phase)
  let left = limits[phase]
  for (const envelope of candidates.toSorted(byFeeRateDescending)) {
    const resources = resourcesOf(envelope)
    if (!fitsWithin(resources, left) || !builder.tryAdd(envelope)) continue
    left = subtractResources(left, resources)
    included.push(envelope)
  }
  const lowest = included.at(-1)
  const surges = lowest !== undefined && included.length < candidates.length
  const clusters = builder.clusters()
  const clusterOf = (envelope: Envelope): number => clusters.get(envelope) ?? 0
  return { included, clusterOf, baseFee: surges ? feeRate(lowest) : BASE_FEE }
}
