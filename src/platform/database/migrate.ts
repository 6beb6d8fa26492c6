import { sql } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration'
import { shortText } from '../core/text/short-text.ts'
import { type Migrations, migrations } from './migrations/index.ts'
import { StoreUnavailable } from './postgres/unavailable.ts'
import type { Db } from './schema.ts'
import { divergedFrom, type UnknownMigrations, unknownMigrations } from './schema-newer.ts'

const migratorOf = (db: Db, all: Migrations): Migrator =>
  new Migrator({ db, provider: { getMigrations: async () => ({ ...all }) } })

/** The number that Kysely locks, in every version of this service: two may migrate at the same time. */
const MIGRATION_LOCK = 3_853_314_791_062_309_107n

/**
 * How long a migration waits for the lock of a table. Statements of payments queue behind a statement that waits for an
 * exclusive lock, so this stays far below the 10 s after which they are given up.
 */
const TABLE_LOCK_TIMEOUT_MS = 2_000

/** SQLSTATE: lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Brings the schema up to date in one transaction, all migrations or none, under an advisory lock: any number of
 * processes may call it at once. The lock ends with the transaction, so this also works over a connection
 * pooler. Returns the names of the migrations this call ran: none when a newer version migrated the database and its
 * schema is compatible. Throws `SchemaNewer` when it is not, and `StoreUnavailable` when another transaction holds the
 * lock of a table for more than 2 s.
 *
 * @param all the migrations of a version; another one than this is for tests
 */
export const migrate = (db: Db, all: Migrations = migrations): Promise<readonly string[]> =>
  db
    .transaction()
    .execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction)
      const { newer, missing, unknown } = await schemaState(transaction, all)
      if (newer) throw newer
      if (missing.length > 0 && unknown.length > 0) throw divergedFrom(unknown, missing)
      // Kysely refuses migrations that it does not know.
      if (unknown.length > 0) return []
      await sql`set local lock_timeout = ${sql.lit(TABLE_LOCK_TIMEOUT_MS)}`.execute(transaction)
      if (missing.length === Object.keys(all).length) await createMigrationTable(transaction)
      const { error, results = [] } = await migratorOf(transaction, all).migrateToLatest()
      if (error !== undefined) throw error
      return results
        .filter(({ status }) => status === 'Success')
        .map(({ migrationName }) => migrationName)
    })
    .catch((error: unknown) => {
      throw isLockTimeout(error) ? tableLocked(error) : error
    })

const isLockTimeout = (error: unknown): error is StoreUnavailable =>
  error instanceof StoreUnavailable &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === LOCK_NOT_AVAILABLE

const tableLocked = ({ cause }: StoreUnavailable): StoreUnavailable =>
  new StoreUnavailable(cause, {
    says: `Another transaction, such as a backup, has held a table locked for more than ${TABLE_LOCK_TIMEOUT_MS / 1000} s, and nothing was migrated`,
    todo: 'run svc migrate again when that transaction has ended: pg_stat_activity shows it',
    isLasting: false,
  })

/**
 * Creates the same table as Kysely. Kysely looks for the table again when it could not create it; in an aborted transaction
 * that fails, too, and hides why.
 */
const createMigrationTable = (db: Db) =>
  db.schema
    .createTable(DEFAULT_MIGRATION_TABLE)
    .ifNotExists()
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute()

export interface SchemaState extends UnknownMigrations {
  /** Names of the migrations that the database lacks, oldest first. */
  readonly missing: readonly string[]
}

/**
 * How the database's schema differs from that of this version; writes nothing.
 *
 * @param all as of `migrate`
 */
export async function schemaState(db: Db, all: Migrations = migrations): Promise<SchemaState> {
  const executed = await executedMigrations(db)
  const known = Object.keys(all).toSorted()
  return {
    missing: known.filter((name) => !executed.includes(name)),
    ...unknownMigrations(executed, known),
  }
}

/** Those of this version have some twenty characters. */
const MAX_NAME_LENGTH = 100

/** Also those that this version does not know, oldest first; none in a database without the table. */
async function executedMigrations(db: Db): Promise<readonly string[]> {
  const table = await sql<{ exists: boolean }>`
    select to_regclass(${DEFAULT_MIGRATION_TABLE}) is not null as exists`.execute(db)
  if (!table.rows[0]?.exists) return []
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name collate "C"`.execute(db)
  return rows.map(({ name }) => shortText(name, MAX_NAME_LENGTH))
}

/** Names of the migrations that the database lacks; writes nothing. When empty, this version can serve. */
export const pendingMigrations = async (db: Db): Promise<readonly string[]> =>
  (await schemaState(db)).missing
