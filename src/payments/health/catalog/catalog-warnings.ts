import type { HealthWarning, Severity, WarningCode } from '../schema.ts'
import type { CatalogFacts } from './catalog-poller.ts'

/** How far the index may be behind the catalog: builds of a large one take seconds. */
const MAX_BEHIND_SECONDS = 60
/** Processes that search come and go in a rollout. */
const MAX_UNSEARCHED_MS = 60_000

export interface CatalogWarningRule {
  readonly code: WarningCode
  readonly severity: Severity
  /** The condition, for the documentation: it continues "raised while". */
  readonly when: string
  /** The message; undefined while the condition does not hold. */
  readonly find: (facts: CatalogFacts) => string | undefined
}

/** Every warning about the catalog, in the order of `/health`. */
export const catalogWarningRules: readonly CatalogWarningRule[] = [
  {
    code: 'catalog_unreadable',
    severity: 'critical',
    when: 'the catalog tables could not be read at the last poll',
    find: ({ misses }) =>
      misses > 0
        ? `the catalog could not be read in the last ${misses} polls: nothing is listed, and the lists cannot be read`
        : undefined,
  },
  {
    code: 'search_index_failed',
    severity: 'critical',
    when: 'the last build of the search index failed, and no process has an index to search',
    find: (facts) =>
      hasFailed(facts)
        ? 'the search index could not be built, and no process has an earlier one: searches fail; the log of the process says why'
        : undefined,
  },
  {
    code: 'search_index_degraded',
    severity: 'warning',
    when: `the embeddings endpoint failed in the last build, the index lacks a change that is over ${MAX_BEHIND_SECONDS} seconds old, or no process has searched for ${MAX_UNSEARCHED_MS / 1_000} seconds`,
    find: (facts) => (hasFailed(facts) ? undefined : degradation(facts)),
  },
]

function hasFailed({ stats }: CatalogFacts): boolean {
  const { builds = [] } = stats ?? {}
  return builds[0]?.result === 'failed' && builds.every(({ revision }) => revision === null)
}

function degradation({ stats, unsearchedMs }: CatalogFacts): string | undefined {
  if (!stats) return undefined
  const [newest] = stats.builds
  if (!newest) {
    if (unsearchedMs <= MAX_UNSEARCHED_MS) return undefined
    const seconds = Math.round(unsearchedMs / 1_000)
    return `no process has searched the catalog for ${seconds} s: start svc catalog, or set BAZAAR_ENABLED=false`
  }
  if (newest.result === 'degraded') {
    return 'the embeddings endpoint failed: searches use the word vectors that ship with the project until it answers'
  }
  if (stats.behindSeconds <= MAX_BEHIND_SECONDS) return undefined
  return `the search index lacks changes of the last ${stats.behindSeconds} s: searches find the catalog as it was before`
}

/** The warnings about the catalog, in the order of the rules. */
export const catalogWarningsOf = (facts: CatalogFacts): readonly HealthWarning[] =>
  catalogWarningRules.flatMap(({ code, severity, find }) => {
    const message = find(facts)
    return message === undefined ? [] : [{ code, severity, message }]
  })
