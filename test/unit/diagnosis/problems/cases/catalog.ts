import type { CatalogCase } from '../case.ts'

type Build = NonNullable<NonNullable<CatalogCase['given']['stats']>['builds']>[number]
const searched = (builds: readonly Build[], behindSeconds = 0) => ({
  stats: { builds, behindSeconds },
})
const ok: Build = { result: 'ok', revision: 7 }
const failed: Build = { result: 'failed', revision: null }

export const catalogCases: readonly CatalogCase[] = [
  { when: 'nothing was read yet', given: { stats: undefined }, health: [] },
  { when: 'the newest index is good', given: searched([ok]), health: [] },
  {
    when: 'the catalog could not be read',
    given: { misses: 2 },
    health: ['catalog_unreadable'],
    says: /^the catalog could not be read in the last 2 polls/,
  },
  {
    when: 'no process has an index',
    given: searched([failed]),
    health: ['search_index_failed'],
    says: /searches fail; the log of the process says why$/,
  },
  { when: 'an earlier index serves', given: searched([failed, ok]), health: [] },
  {
    when: 'the embeddings endpoint failed',
    given: searched([{ result: 'degraded', revision: 7 }]),
    health: ['search_index_degraded'],
    says: /^the embeddings endpoint failed/,
  },
  { when: 'the index is a minute behind', given: searched([ok], 60), health: [] },
  {
    when: 'the index is further behind',
    given: searched([ok], 61),
    health: ['search_index_degraded'],
    says: /^the search index lacks changes of the last 61 s/,
  },
  {
    when: 'no process has searched for a minute',
    given: { ...searched([]), unsearchedMs: 60_000 },
    health: [],
  },
  {
    when: 'no process has searched for longer',
    given: { ...searched([]), unsearchedMs: 60_001 },
    health: ['search_index_degraded'],
    says: /^no process has searched the catalog for 60 s; start svc catalog/,
  },
]
