import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'

/** The last build of a process that searches, and how its searches went. */
export interface SearchBuild {
  /** The revision of the catalog that its index holds; null while it has none. */
  readonly revision: number | null
  readonly result: 'ok' | 'degraded' | 'failed'
  /** Seconds since the build, by the clock of the database. */
  readonly ageSeconds: number
  readonly listings: number
  /** Requests to the embeddings endpoint that failed within the last hour. */
  readonly embeddingFailures: number
  /** Percentiles of the duration of the searches of the last minutes; null without any. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** Three heartbeats, so that one or two lost ones end no process. */
const LIVE_SECONDS = 30
/** Nothing reads the rows of processes that ended without deleting theirs. */
const KEPT_SECONDS = 300

/** Writes what this process has built, and deletes the rows of dead ones. */
export async function writeSearchBuild(
  db: Db,
  replica: string,
  build: Omit<SearchBuild, 'ageSeconds'>,
  /** Milliseconds since the build. */
  ageMs: number,
): Promise<void> {
  await sql`with dead as (
      delete from search_builds where replica in (
        select replica from search_builds
        where seen_at < clock_timestamp() - ${KEPT_SECONDS} * interval '1 second'
          and replica <> ${replica}
        for update skip locked)
    )
    insert into search_builds (replica, revision, result, built_at, listings, embedding_failures,
      p50_ms, p95_ms, seen_at)
    values (${replica}, ${build.revision}, ${build.result},
      clock_timestamp() - ${ageMs}::double precision * interval '1 millisecond', ${build.listings},
      ${build.embeddingFailures}, ${build.p50Ms}, ${build.p95Ms}, clock_timestamp())
    on conflict (replica) do update set revision = excluded.revision, result = excluded.result,
      built_at = excluded.built_at, listings = excluded.listings,
      embedding_failures = excluded.embedding_failures,
      p50_ms = excluded.p50_ms, p95_ms = excluded.p95_ms, seen_at = excluded.seen_at`.execute(db)
}

/** A process that stops in good order is no longer counted. */
export async function deleteSearchBuild(db: Db, replica: string): Promise<void> {
  await db.deleteFrom('search_builds').where('replica', '=', replica).execute()
}

/** The builds of processes that were alive within the last 30 s, the newest first. */
export async function listSearchBuilds(db: Db): Promise<readonly SearchBuild[]> {
  const { rows } = await sql<BuildRow>`
    select revision, result, listings, embedding_failures, p50_ms, p95_ms,
      greatest(extract(epoch from clock_timestamp() - built_at), 0)::double precision as age
    from search_builds
    where seen_at > clock_timestamp() - ${LIVE_SECONDS} * interval '1 second'
    order by built_at desc, replica`.execute(db)
  return rows.map(searchBuild)
}

interface BuildRow {
  revision: bigint | null
  result: SearchBuild['result']
  listings: number
  embedding_failures: number
  p50_ms: number | null
  p95_ms: number | null
  age: number
}

const searchBuild = (row: BuildRow): SearchBuild => ({
  revision: row.revision === null ? null : Number(row.revision),
  result: row.result,
  ageSeconds: Math.floor(row.age),
  listings: row.listings,
  embeddingFailures: row.embedding_failures,
  p50Ms: row.p50_ms,
  p95Ms: row.p95_ms,
})
