import { sql } from 'kysely'
import type { Db } from './schema.ts'

/** Facts that the database server reports about itself. */
export interface ServerFacts {
  /** As in `show server_version`. */
  readonly version: string
  /** The server's time, Unix ms. */
  readonly nowMs: number
}

/** Reads the server's version and time in one round trip. */
export async function serverFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<{ version: string; now: string }>`
    select current_setting('server_version') as version,
      extract(epoch from clock_timestamp()) as now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select without a table has one row')
  return { version: row.version, nowMs: Number(row.now) * 1_000 }
}
