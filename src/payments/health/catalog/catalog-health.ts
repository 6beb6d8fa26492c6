import type { CatalogHealth, SearchHealth } from '../schema.ts'
import type { PolledCatalog } from './catalog-poller.ts'

/** The member `catalog`. While the store cannot be read, its numbers are null, and the outcomes as last read. */
export function catalogHealth({ misses, stats }: PolledCatalog): CatalogHealth {
  const current = misses === 0 ? stats : undefined
  return {
    listings: current ? { ...current.listings } : null,
    leftOut: current ? { ...current.leftOut } : null,
    outboxPending: current?.outbox.pending ?? null,
    outcomes1h: Object.fromEntries(
      Object.entries(stats?.outcomes1h ?? {}).map(([phase, counts]) => [phase, { ...counts }]),
    ),
  }
}

/** The member `search`: of the newest build of all processes, with the failures of all of them. */
export function searchHealth({ misses, stats }: PolledCatalog): SearchHealth {
  const builds = stats?.builds ?? []
  const newest = misses === 0 ? builds[0] : undefined
  return {
    indexRevision: newest?.revision ?? null,
    indexAgeSeconds: newest?.ageSeconds ?? null,
    lastBuild: newest?.result ?? null,
    embeddingFailures1h: builds.reduce((sum, build) => sum + build.embeddingFailures, 0),
    p50Ms: newest?.p50Ms ?? null,
    p95Ms: newest?.p95Ms ?? null,
  }
}
