import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import { FULL } from '../../../../tools/eval/ablations.ts'
import { documentOf, readListings, readQueries, SPLITS } from '../../../../tools/eval/judged-set.ts'
import { measure } from '../../../../tools/eval/measure.ts'
import { summarise } from '../../../../tools/eval/summarise.ts'

const baseline = JSON.parse(
  readFileSync(new URL('../../../../tools/eval/baseline.json', import.meta.url), 'utf8'),
) as { ndcg: number }

const words = await loadWordVectors()
const measured = measure(readListings().map(documentOf), readQueries(), words, FULL.settings)

test('the search ranks the judged queries at most 0.02 worse than the stored baseline', () => {
  expect(summarise(measured).ndcg).toBeGreaterThan(baseline.ndcg - 0.02)
})

test.each(SPLITS)('at most 2 %% of the answerable queries of the %s half get no answer', (half) => {
  const { queries, abstainedWrongly } = summarise(
    measured.filter(({ query }) => query.split === half),
  )
  expect(abstainedWrongly / queries).toBeLessThanOrEqual(0.02)
})
