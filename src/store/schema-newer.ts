/** The database has migrations that this version does not know: a newer one was there before. */
export class SchemaNewer extends Error {
  override readonly name = 'SchemaNewer'

  constructor(migration: string, cause: unknown) {
    super(`the database has ${migration}, which this version does not know: run a newer version`, {
      cause,
    })
  }
}

/** As kysely words it: it has no code for it. */
const unknownMigration = /^corrupted migrations: previously executed migration (\S+) is missing$/

export function asSchemaNewer(error: unknown): unknown {
  const migration = error instanceof Error ? unknownMigration.exec(error.message)?.[1] : undefined
  return migration === undefined ? error : new SchemaNewer(migration, error)
}
