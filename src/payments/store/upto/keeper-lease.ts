/**
 * The lease of the keeper of one settlement contract, over all replicas and commands. The term rises with every change
 * of holder, and each write of a holder checks it (`holdKeeperLease`): a lease cannot stop a paused ex-holder by itself.
 */
import { type SqlBool, sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../platform/database/sql-time.ts'

export interface KeptContract {
  readonly network: NetworkId
  /** `C...` */
  readonly contract: string
}

export interface KeeperLease extends KeptContract {
  /** Names the process. */
  readonly holder: string
  readonly term: bigint
}

/** Another process has taken the lease over: this one must write and sign no more. */
export class KeeperLeaseLost extends Error {
  override readonly name = 'KeeperLeaseLost'

  constructor({ contract, term }: KeeperLease) {
    super(`the lease of the keeper of ${contract} is past term ${term}: another process has it`)
  }
}

/** Takes the lease when no process holds it, by the clock of the database; undefined while another one does. */
export async function acquireKeeperLease(
  db: Db,
  { network, contract }: KeptContract,
  {
    holder,
    ttlMs,
    whenDue,
  }: {
    readonly holder: string
    readonly ttlMs: number
    /** Only when the next round is due; undefined otherwise. */
    readonly whenDue: boolean
  },
): Promise<KeeperLease | undefined> {
  const isDue = whenDue ? sql<SqlBool>`known.due_at <= clock_timestamp()` : sql<SqlBool>`true`
  const { rows } = await sql<{ term: bigint }>`
    insert into upto_keepers as known (network, contract, holder, term, lease_expires_at)
    values (${network}, ${contract}, ${holder}, 1, ${databaseTimeIn(ttlMs)})
    on conflict (network, contract) do update
      set holder = excluded.holder, term = known.term + 1, lease_expires_at = excluded.lease_expires_at
      where known.lease_expires_at <= clock_timestamp() and ${isDue}
    returning term`.execute(db)
  const [row] = rows
  return row && { network, contract, holder, term: row.term }
}

const ofLease = (db: Db, { network, contract, holder, term }: KeeperLease) =>
  db
    .updateTable('upto_keepers')
    .where('network', '=', network)
    .where('contract', '=', contract)
    .where('holder', '=', holder)
    .where('term', '=', term)

/** Throws `KeeperLeaseLost` when another process has taken it over; one that has only expired is renewed. */
export async function renewKeeperLease(db: Db, lease: KeeperLease, ttlMs: number): Promise<void> {
  const { numUpdatedRows } = await ofLease(db, lease)
    .set({ lease_expires_at: databaseTimeIn(ttlMs) })
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new KeeperLeaseLost(lease)
}

/** Gives it back. @param dueInMs when the next round is due; absent: as before */
export async function releaseKeeperLease(
  db: Db,
  lease: KeeperLease,
  dueInMs?: number,
): Promise<void> {
  await ofLease(db, lease)
    .set({
      lease_expires_at: databaseNow,
      ...(dueInMs !== undefined && { due_at: databaseTimeIn(dueInMs) }),
    })
    .execute()
}

/** Keeps the lease from changing hands until the end of the transaction. Throws `KeeperLeaseLost` when it has. */
async function holdKeeperLease(transaction: DbTransaction, lease: KeeperLease): Promise<void> {
  const held = await transaction
    .selectFrom('upto_keepers')
    .select('term')
    .where('network', '=', lease.network)
    .where('contract', '=', lease.contract)
    .where('holder', '=', lease.holder)
    .where('term', '=', lease.term)
    .forShare()
    .executeTakeFirst()
  if (!held) throw new KeeperLeaseLost(lease)
}

/** Runs the work in a transaction that holds the lease. Throws `KeeperLeaseLost` when another process has it. */
export const underKeeperLease = <T>(
  db: Db,
  lease: KeeperLease,
  work: (transaction: DbTransaction) => Promise<T>,
): Promise<T> =>
  db.transaction().execute(async (transaction) => {
    await holdKeeperLease(transaction, lease)
    return work(transaction)
  })
