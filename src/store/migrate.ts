import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations/index.ts'
import type { Db } from './schema.ts'
import { asSchemaNewer } from './schema-newer.ts'

const migratorOf = (db: Db): Migrator =>
  new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })

/** The number that Kysely locks, also in earlier versions of this service, which may migrate at the same time. */
const MIGRATION_LOCK = 3_853_314_791_062_309_107n

/**
 * Brings the schema up to date in one transaction, all migrations or none, under an advisory lock: any number of
 * processes may call it at once. The lock ends with the transaction, so this also works over a connection
 * pooler. Returns the names of the migrations this call ran. Throws `SchemaNewer` when the database is of a
 * newer version.
 */
export const migrate = (db: Db): Promise<readonly string[]> =>
  db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction)
    const { error, results = [] } = await migratorOf(transaction).migrateToLatest()
    if (error !== undefined) throw asSchemaNewer(error)
    return results
      .filter(({ status }) => status === 'Success')
      .map(({ migrationName }) => migrationName)
  })

/** Names of the migrations that the database lacks; writes nothing. When empty, this version can serve. */
export async function pendingMigrations(db: Db): Promise<readonly string[]> {
  const known = await migratorOf(db).getMigrations()
  return known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}
