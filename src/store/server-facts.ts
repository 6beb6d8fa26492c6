import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** What a database says of itself. */
export interface ServerFacts {
  /** As `show server_version` words it. */
  readonly version: string
  /** Its own time, Unix ms. */
  readonly nowMs: number
}

/** Asks the server its version and the time, in one round trip. */
export async function serverFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<{ version: string; now: string }>`
    select current_setting('server_version') as version,
      extract(epoch from clock_timestamp()) as now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select without a table has one row')
  return { version: row.version, nowMs: Number(row.now) * 1_000 }
}
