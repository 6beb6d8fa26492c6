import { Migrator } from 'kysely/migration'
import { migrations } from './migrations/index.ts'
import type { Db } from './schema.ts'
import { asSchemaNewer } from './schema-newer.ts'

const migratorOf = (db: Db): Migrator =>
  new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } })

/**
 * Brings the schema up to date, all migrations or none, under an advisory lock: any number of
 * processes may call it at once. Returns the names of the migrations this call ran. Throws
 * `SchemaNewer` when the database is of a newer version.
 */
export async function migrate(db: Db): Promise<readonly string[]> {
  const { error, results = [] } = await migratorOf(db).migrateToLatest()
  if (error !== undefined) throw asSchemaNewer(error)
  return results
    .filter(({ status }) => status === 'Success')
    .map(({ migrationName }) => migrationName)
}

/** Names of the migrations that the database lacks; writes nothing. When empty, this version can serve. */
export async function pendingMigrations(db: Db): Promise<readonly string[]> {
  const known = await migratorOf(db).getMigrations()
  return known.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name)
}
