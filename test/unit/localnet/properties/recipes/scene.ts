/**
 * How operations come about. A plan holds indexes and choices only, and is written when it is
 * submitted, against the ledger of that moment. Many plans are bound to fail.
 */
import fc from 'fast-check'
import type { Op } from '../../harness.ts'
import type { Town } from '../town.ts'

/** One or several operations that belong together. */
export interface Scene {
  readonly write: (town: Town) => readonly Op[]
}

interface Recipe<Plan> {
  readonly weight: number
  readonly plan: fc.Arbitrary<Plan>
  readonly write: (plan: Plan, town: Town) => Op | readonly Op[]
}

/** Names its plan when a counterexample is told. */
export function scene<Plan>(
  name: string,
  { weight, plan, write }: Recipe<Plan>,
): fc.WeightedArbitrary<Scene> {
  const arbitrary = plan.map((chosen) => ({
    write: (town: Town) => [write(chosen, town)].flat(),
    [fc.toStringMethod]: () => `${name} ${JSON.stringify(chosen)}`,
  }))
  return { weight, arbitrary }
}
