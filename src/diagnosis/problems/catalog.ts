/** Whether resources can be listed, and searches find them. */
import type { CatalogFacts } from '../facts/facts.ts'
import { MAX_BEHIND_SECONDS, MAX_UNSEARCHED_MS } from './names.ts'
import type { Found, ServiceProblem } from './problem.ts'

export const catalogProblems: readonly ServiceProblem<CatalogFacts>[] = [
  {
    name: 'catalog-unreadable',
    health: 'catalog_unreadable',
    find: ({ misses }) =>
      misses > 0
        ? {
            says: `the catalog could not be read in the last ${misses} polls: nothing is listed, and the lists cannot be read`,
            todo: 'svc doctor says what is wrong with the database',
          }
        : undefined,
  },
  {
    name: 'search-index-failed',
    health: 'search_index_failed',
    find: (facts) =>
      hasFailed(facts)
        ? {
            says: 'the search index could not be built, and no process has an earlier one: searches fail',
            todo: 'the log of the process says why',
          }
        : undefined,
  },
  {
    name: 'search-index-degraded',
    health: 'search_index_degraded',
    find: (facts) => (hasFailed(facts) ? undefined : degradation(facts)),
  },
]

function hasFailed({ stats }: CatalogFacts): boolean {
  const { builds = [] } = stats ?? {}
  return builds[0]?.result === 'failed' && builds.every(({ revision }) => revision === null)
}

function degradation({ stats, unsearchedMs }: CatalogFacts): Found {
  if (!stats) return undefined
  const [newest] = stats.builds
  if (!newest) {
    if (unsearchedMs <= MAX_UNSEARCHED_MS) return undefined
    return {
      says: `no process has searched the catalog for ${Math.round(unsearchedMs / 1_000)} s`,
      todo: 'start svc catalog, or set BAZAAR_ENABLED=false',
    }
  }
  if (newest.result === 'degraded') {
    return {
      says: 'the embeddings endpoint failed: searches use the word vectors that ship with the project until it answers',
      todo: 'see that the endpoint of SEARCH_EMBEDDINGS_URL answers',
    }
  }
  if (stats.behindSeconds <= MAX_BEHIND_SECONDS) return undefined
  return {
    says: `the search index lacks changes of the last ${stats.behindSeconds} s: searches find the catalog as it was before`,
    todo: 'see how long the builds take: svc_search_index_build_seconds shows it',
  }
}
