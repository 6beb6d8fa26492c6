import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import { FULL } from '../../../../tools/eval/ablations.ts'
import { declaredItems } from '../../../../tools/eval/declared/items.ts'
import { judgedQuestions } from '../../../../tools/eval/declared/questions.ts'
import { readSeeds } from '../../../../tools/eval/declared/seed.ts'
import { documentOf, readListings, readQueries, SPLITS } from '../../../../tools/eval/judged-set.ts'
import { measure } from '../../../../tools/eval/measure.ts'
import { summarise } from '../../../../tools/eval/summarise.ts'

const baseline = JSON.parse(
  readFileSync(new URL('../../../../tools/eval/baseline.json', import.meta.url), 'utf8'),
) as { flat: number; declared: number }

const words = await loadWordVectors()
const declared = await declaredItems(readSeeds())
const sets = {
  flat: measure(readListings().map(documentOf), readQueries(), words, FULL.settings),
  declared: measure(declared.items, judgedQuestions(declared), words, FULL.settings),
}

describe.each(['flat', 'declared'] as const)('the %s set', (name) => {
  test('is ranked at most 0.02 worse than the stored baseline', () => {
    expect(summarise(sets[name]).ndcg).toBeGreaterThan(baseline[name] - 0.02)
  })

  test.each(SPLITS)(
    'at most 3 %% of the answerable queries of the %s half get no answer',
    (half) => {
      const { queries, abstainedWrongly } = summarise(
        sets[name].filter(({ query }) => query.split === half),
      )
      expect(abstainedWrongly / queries).toBeLessThanOrEqual(0.03)
    },
  )
})
