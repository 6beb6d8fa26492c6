/**
 * The lease on ingest: one row, for all networks. Its holder alone ingests. The term rises with every change of
 * holder, and each write of a holder checks it (`holdLease`): a lease cannot stop a paused ex-holder by itself.
 */
import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseTimeIn } from '../../../platform/database/sql-time.ts'

export interface IngestLease {
  /** Names the process. */
  readonly holder: string
  readonly term: bigint
}

/** Another process has taken the lease over: this one must write no more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor({ term }: IngestLease) {
    super(`the lease on ingest has passed term ${term}: another process ingests now`)
  }
}

/** Takes the lease when no process holds it, by the clock of the database; undefined while another one does. */
export async function acquireLease(
  db: Db,
  holder: string,
  ttlMs: number,
): Promise<IngestLease | undefined> {
  const { rows } = await sql<{ term: bigint }>`
    insert into explorer_lease as lease (holder, term, expires_at)
    values (${holder}, 1, ${databaseTimeIn(ttlMs)})
    on conflict (only_row) do update
      set holder = excluded.holder, term = lease.term + 1, expires_at = excluded.expires_at
      where lease.expires_at <= clock_timestamp()
    returning term`.execute(db)
  const [row] = rows
  return row && { holder, term: row.term }
}

/** Throws `LeaseLost` when another process has taken it over; one that has only expired is renewed. */
export async function renewLease(db: Db, lease: IngestLease, ttlMs: number): Promise<void> {
  const { numAffectedRows } =
    await sql`update explorer_lease set expires_at = ${databaseTimeIn(ttlMs)}
    where holder = ${lease.holder} and term = ${lease.term}`.execute(db)
  if (numAffectedRows !== 1n) throw new LeaseLost(lease)
}

/** Gives it back, so that another process takes it without waiting for its expiry. */
export async function releaseLease(db: Db, lease: IngestLease): Promise<void> {
  await sql`update explorer_lease set expires_at = clock_timestamp()
    where holder = ${lease.holder} and term = ${lease.term}`.execute(db)
}

/**
 * Keeps the lease from changing hands until the end of the transaction. Throws `LeaseLost` when it has.
 */
export async function holdLease(transaction: DbTransaction, lease: IngestLease): Promise<void> {
  const held = await transaction
    .selectFrom('explorer_lease')
    .select('term')
    .where('holder', '=', lease.holder)
    .where('term', '=', lease.term)
    .forShare()
    .executeTakeFirst()
  if (!held) throw new LeaseLost(lease)
}
