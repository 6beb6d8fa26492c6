/**
 * Random stories on the embedded network keep the laws of the ledger: right and wrong transactions
 * over twenty accounts, several in a ledger, each ledger held against every rule.
 *
 * The seed is fixed, so that a run says the same everywhere. To look further:
 *
 *   PROPERTY_RUNS=2000 PROPERTY_SEED=random npx vitest run test/unit/localnet/properties
 *
 * PROPERTY_RUNS is the number of stories, PROPERTY_SEED a number or `random`. What fails prints its
 * seed, and the shortest story that still fails.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashesOf, play, replay } from './play.ts'
import { stories } from './story.ts'

const { PROPERTY_RUNS: runs = '60', PROPERTY_SEED: seed = '20260917' } = process.env
const numRuns = Number(runs)
/** To find the shortest story takes long; what is found until then is told. */
const limitMs = 30_000 + numRuns * 1_000
const MS_TO_TELL = 30_000

describe('random stories', () => {
  it('keep every rule, and give the same ledgers when they are told again', {
    timeout: limitMs + MS_TO_TELL,
  }, async () => {
    const property = fc.asyncProperty(stories, async (story) => {
      const { town, broken } = await play(story)
      expect(broken).toEqual([])
      expect(await replay(town)).toEqual(hashesOf(town))
    })
    await fc.assert(property, {
      numRuns,
      interruptAfterTimeLimit: limitMs,
      ...(seed === 'random' ? {} : { seed: Number(seed) }),
    })
  })
})
