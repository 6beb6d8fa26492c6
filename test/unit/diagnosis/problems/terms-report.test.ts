import { describe, expect, test } from 'vitest'
import type { TrialOutcome } from '../../../../src/diagnosis/facts/trial-facts.ts'
import { known } from '../../../../src/diagnosis/problems/check.ts'
import { termsReportOf } from '../../../../src/diagnosis/problems/terms.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { type Changes, facts, terms, trial, usdc } from '../facts.ts'

const xlm = { contract: 'CXLM', symbol: 'XLM', decimals: 7 }
const fees = { least: asStroops(27_000n), likely: asStroops(33_231n) }
const tooDear: TrialOutcome = { kind: 'tooDear', ...fees }
const dear: TrialOutcome = { kind: 'dear', ...fees }
const refused: TrialOutcome = { kind: 'refused', why: 'it emits no event' }
const notTried: TrialOutcome = { kind: 'notTried', why: 'no holder is known' }
const possible: TrialOutcome = { kind: 'possible', ...fees }

/** Two assets, and what the trial of each found. */
const tried = (...assets: readonly Parameters<typeof trial>[]): Changes => ({
  ...terms({ assets: [usdc, xlm] }),
  trial: known(
    assets.flatMap(([changes, payments], at) => {
      const found = trial({ asset: at === 0 ? usdc : xlm, ...changes }, payments)
      return found.ok ? found.value : []
    }),
  ),
})
const both = (exact: TrialOutcome, upto: TrialOutcome): Parameters<typeof trial> => [
  {},
  { exact, upto },
]

describe('what a pod reports of its terms', () => {
  test.each<[string, string, Changes]>([
    [
      'Tried',
      'each payment can be made',
      tried(both(possible, possible), both(possible, possible)),
    ],
    ['NotTried', 'one was not tried', tried(both(possible, notTried), both(possible, possible))],
    ['Invalid', 'one can be made', tried(both(tooDear, possible), both(refused, tooDear))],
    ['Invalid', 'one may be dear', tried(both(tooDear, dear), both(refused, tooDear))],
    ['Invalid', 'one was not tried', tried(both(tooDear, notTried), both(refused, tooDear))],
    ['Invalid', 'one asset was not tried', tried(both(tooDear, tooDear))],
    ['Invalid', 'decimals differ', tried([{ decimals: 6 }], both(possible, possible))],
    ['Unpayable', 'no payment can be made', tried(both(tooDear, refused), both(refused, tooDear))],
    [
      'Unpayable',
      'one asset is not on the ledger and the other is too dear',
      tried([{ isOnLedger: false }, { exact: notTried }], both(tooDear, tooDear)),
    ],
    ['Unpayable', 'each payment expires first', terms({ timeoutMaxSeconds: 1 })],
    ['Unpayable', 'the largest amount is 0', terms({ assets: [{ ...usdc, max: 0n }] })],
    [
      'Invalid',
      'the largest amount of one asset is 0',
      { ...terms({ assets: [{ ...usdc, max: 0n }, xlm] }), trial: trial() },
    ],
    [
      'Unpayable',
      'the largest amount is 0, and nothing was tried yet',
      { ...terms({ assets: [{ ...usdc, max: 0n }] }), trial: undefined as never },
    ],
  ])('is %s when %s', (state, _, changes) => {
    expect(termsReportOf(facts(changes))?.state).toBe(state)
  })
})
