import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import type { LeftOut, ListingState } from '../tables.ts'
import { listSearchBuilds, type SearchBuild } from './search-builds.ts'

/** The report of `/health` on the catalog, over all replicas. */
export interface CatalogStats {
  /** Without those that are left out. */
  readonly listings: Readonly<Record<ListingState, number>>
  /** Published listings that are in no list and no search, by the reason. */
  readonly leftOut: Readonly<Record<LeftOut, number>>
  readonly outbox: {
    readonly pending: number
    /** Seconds since the oldest payment in it was settled; null when it is empty. */
    readonly oldestSeconds: number | null
  }
  /** Outcomes of the last hour, by phase, then by status. */
  readonly outcomes1h: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** The builds of the processes that search, the newest first. */
  readonly builds: readonly SearchBuild[]
  /** For how long the newest index has lacked a change of the catalog; 0 when it lacks none. */
  readonly behindSeconds: number
}

/** Reads the numbers in a few statements. */
export async function readCatalogStats(db: Db): Promise<CatalogStats> {
  const builds = await listSearchBuilds(db)
  const revisions = builds.flatMap(({ revision }) => revision ?? [])
  const [{ listings, leftOut, outbox, behind }, outcomes1h] = await Promise.all([
    readCounts(db, revisions.length > 0 ? Math.max(...revisions) : 0),
    readOutcomes(db),
  ])
  return {
    listings,
    leftOut,
    outbox,
    outcomes1h,
    builds,
    behindSeconds: behind,
  }
}

interface CountsRow {
  pending: number
  published: number
  quarantined: number
  hidden: number
  unpaid: number
  full: number
  outbox: number
  oldest: number | null
  behind: number | null
}

async function readCounts(db: Db, revision: number) {
  const { rows } = await sql<CountsRow>`
    select counts.*, waiting.*, (
        select extract(epoch from clock_timestamp() - min(updated_at))::double precision
        from listings where revision > ${revision}
      ) as behind
    from (
      select count(*) filter (where state = 'pending')::integer as pending,
        count(*) filter (where state = 'published' and left_out is null)::integer as published,
        count(*) filter (where state = 'quarantined')::integer as quarantined,
        count(*) filter (where left_out = 'hidden')::integer as hidden,
        count(*) filter (where left_out = 'unpaid')::integer as unpaid,
        count(*) filter (where left_out = 'full')::integer as full
      from listings
    ) as counts, (
      select count(*)::integer as outbox,
        extract(epoch from clock_timestamp() - min(settled_at))::double precision as oldest
      from catalog_outbox
    ) as waiting`.execute(db)
  const row = rows[0] as CountsRow
  const { pending, published, quarantined, hidden, unpaid, full } = row
  return {
    listings: { pending, published, quarantined },
    leftOut: { hidden, unpaid, full },
    outbox: {
      pending: row.outbox,
      oldestSeconds: row.oldest === null ? null : Math.max(0, Math.floor(row.oldest)),
    },
    behind: Math.max(0, Math.floor(row.behind ?? 0)),
  }
}

async function readOutcomes(db: Db): Promise<CatalogStats['outcomes1h']> {
  const { rows } = await sql<{ phase: string; status: string; outcomes: bigint }>`
    select phase, status, sum(outcomes)::bigint as outcomes from catalog_outcome_counts
    where minute > clock_timestamp() - interval '1 hour' - interval '1 minute'
    group by phase, status order by phase, status`.execute(db)
  const found: Record<string, Record<string, number>> = {}
  for (const { phase, status, outcomes } of rows) {
    found[phase] = { ...found[phase], [status]: Number(outcomes) }
  }
  return found
}
