/**
 * Plans of operations. A plan holds indexes and choices only; the operations are built at submission,
 * from the ledger of that time. Many of them fail.
 */
import fc from 'fast-check'
import type { Op } from '../../harness.ts'
import type { RecordedNetwork } from '../recorded-network.ts'

/** One operation, or several that belong together. */
export interface OperationPlan {
  readonly write: (network: RecordedNetwork) => readonly Op[]
}

interface Definition<Plan> {
  readonly weight: number
  readonly plan: fc.Arbitrary<Plan>
  readonly write: (plan: Plan, network: RecordedNetwork) => Op | readonly Op[]
}

/** Counterexamples print the name and the choices. */
export function operationPlan<Plan>(
  name: string,
  { weight, plan, write }: Definition<Plan>,
): fc.WeightedArbitrary<OperationPlan> {
  const arbitrary = plan.map((chosen) => ({
    write: (network: RecordedNetwork) => [write(chosen, network)].flat(),
    [fc.toStringMethod]: () => `${name} ${JSON.stringify(chosen)}`,
  }))
  return { weight, arbitrary }
}
