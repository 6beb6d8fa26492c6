import { sql } from 'kysely'
import type { Db } from '../schema.ts'

/** Facts that the database server reports about itself. */
export interface ServerFacts {
  /** The answer to `show server_version`. */
  readonly version: string
  /** The server's time, Unix ms. */
  readonly nowMs: number
  /** In force for this connection; 0 is none. */
  readonly statementTimeoutMs: number
  /** The role of this connection. */
  readonly role: string
  /** True for a standby, and where `default_transaction_read_only` is on. */
  readonly isReadOnly: boolean
}

/** Reads all of them in one round trip. */
export async function serverFacts(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<{
    version: string
    now: string
    timeout: string
    role: string
    readOnly: string
  }>`
    select current_setting('server_version') as version,
      extract(epoch from clock_timestamp()) as now, current_user as role,
      current_setting('transaction_read_only') as "readOnly",
      (select setting from pg_settings where name = 'statement_timeout') as timeout`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select without a table has one row')
  const { version, now, timeout, role, readOnly } = row
  return {
    version,
    nowMs: Number(now) * 1_000,
    statementTimeoutMs: Number(timeout),
    role,
    isReadOnly: readOnly === 'on',
  }
}

/** When the server started: another text after a restart, and after a failover to another server. */
export async function serverStart(db: Db): Promise<string> {
  const { rows } = await sql<{ start: string }>`
    select pg_postmaster_start_time()::text as start`.execute(db)
  return rows[0]?.start ?? ''
}
