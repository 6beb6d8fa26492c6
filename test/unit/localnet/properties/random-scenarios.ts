/**
 * Random scenarios on the localnet: valid and invalid transactions over twenty accounts, several in
 * a ledger. Every rule checks each ledger.
 *
 * The seed is fixed, so that every run does the same. For more, and other, scenarios:
 *
 *   PROPERTY_RUNS=2000 PROPERTY_SEED=random npx vitest run test/unit/localnet/properties
 *
 * PROPERTY_RUNS is the number of scenarios, PROPERTY_SEED a number or `random`. A failure prints its
 * seed, and the shortest scenario that still fails.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashesOf, replay, runScenario } from './run-scenario.ts'
import { scenarios } from './scenario.ts'

const { PROPERTY_RUNS: runs, PROPERTY_SEED: seed = '20260917' } = process.env
const REPORT_MS = 30_000

/** @param count how many, unless PROPERTY_RUNS says another number */
export function describeScenarios(count: number): void {
  const numRuns = Number(runs ?? count)
  /** Bounds the search for the shortest failing scenario; after it fast-check reports the shortest so far. */
  const limitMs = 30_000 + numRuns * 1_000

  it('random scenarios keep every rule, and give the same ledgers when run again', {
    timeout: limitMs + REPORT_MS,
  }, async () => {
    const property = fc.asyncProperty(scenarios, async (scenario) => {
      const { network, broken } = await runScenario(scenario)
      expect(broken).toEqual([])
      expect(await replay(network)).toEqual(hashesOf(network))
    })
    await fc.assert(property, {
      numRuns,
      interruptAfterTimeLimit: limitMs,
      ...(seed === 'random' ? {} : { seed: Number(seed) }),
    })
  })
}
