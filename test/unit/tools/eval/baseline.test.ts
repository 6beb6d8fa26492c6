import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadWordVectors } from '../../../../src/catalog/search/vectors/load.ts'
import { FULL } from '../../../../tools/eval/ablations.ts'
import { documentOf, readListings, readQueries } from '../../../../tools/eval/judged-set.ts'
import { measure } from '../../../../tools/eval/measure.ts'
import { summarise } from '../../../../tools/eval/summarise.ts'

const baseline = JSON.parse(
  readFileSync(new URL('../../../../tools/eval/baseline.json', import.meta.url), 'utf8'),
) as { ndcg: number }

test('the search ranks the judged queries at most 0.02 worse than the stored baseline', async () => {
  const words = await loadWordVectors()
  const measured = measure(readListings().map(documentOf), readQueries(), words, FULL.settings)
  expect(summarise(measured).ndcg).toBeGreaterThan(baseline.ndcg - 0.02)
})
