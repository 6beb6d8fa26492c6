import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'

/** One use of an API key by a request to this process. */
export interface KeyUse {
  /** The subject under which the usage of the key is counted. */
  readonly subject: string
  readonly name: string | undefined
  readonly agoMs: number
}

/**
 * Notes the uses, of each key once, unless a later one is noted. Times are by the clock of the store, so that replicas whose
 * clocks differ agree on the last one.
 */
export async function noteKeyUses(db: Db, uses: readonly KeyUse[]): Promise<void> {
  const rows = uses.map(({ subject, name = null, agoMs }) => ({ subject, name, ago_ms: agoMs }))
  // Sorted by key, so that two replicas cannot deadlock.
  await sql`
    insert into api_key_uses as known (subject, name, last_used_at)
    select subject, name, clock_timestamp() - ago_ms * interval '1 millisecond'
    from json_to_recordset(${JSON.stringify(rows)}::json) as used
      (subject text, name text, ago_ms double precision)
    order by subject
    on conflict (subject) do update
      set last_used_at = excluded.last_used_at, name = excluded.name
      where known.last_used_at < excluded.last_used_at`.execute(db)
}

/** The facts in the store about a key that was ever used. */
export interface LastKeyUse {
  readonly subject: string
  /** The name of the key's entry at that use. */
  readonly name: string | null
  /** Null when the replica that met the key was killed before it noted the use. */
  readonly lastUsedAt: Date | null
  /** The last day, in UTC, with a counted payment request of the key; null when none is counted. */
  readonly lastCountedOn: string | null
}

/** The last use of every key that the store knows, latest first. */
export async function readKeyUses(db: Db): Promise<readonly LastKeyUse[]> {
  // A scan of the index for the next subject, again and again: `usage_counts` has many rows for each.
  const { rows } = await sql<LastKeyUse>`
    with recursive counted (subject) as (
      (select subject from usage_counts order by subject limit 1)
      union all
      select (select next.subject from usage_counts as next
        where next.subject > counted.subject order by next.subject limit 1)
      from counted where counted.subject is not null
    ), keys (subject) as (
      select subject from counted where subject like 'key:%'
      union select subject from api_key_uses
    )
    select keys.subject, uses.name, uses.last_used_at as "lastUsedAt",
      (select max(day) from usage_counts where usage_counts.subject = keys.subject)::text as "lastCountedOn"
    from keys left join api_key_uses as uses on uses.subject = keys.subject
    order by greatest(uses.last_used_at,
      (select max(day) from usage_counts where usage_counts.subject = keys.subject)::timestamp at time zone 'UTC')
      desc nulls last, keys.subject`.execute(db)
  return rows
}
