/** The database has migrations that this version does not know: a newer version ran before. */
export class SchemaNewer extends Error {
  override readonly name = 'SchemaNewer'

  constructor(migration: string, cause: unknown) {
    super(`the database has ${migration}, which this version does not know: run a newer version`, {
      cause,
    })
  }
}

/** Kysely's message for this error, which has no code. */
const unknownMigration = /^corrupted migrations: previously executed migration (\S+) is missing$/

export function asSchemaNewer(error: unknown): unknown {
  const migration = error instanceof Error ? unknownMigration.exec(error.message)?.[1] : undefined
  return migration === undefined ? error : new SchemaNewer(migration, error)
}
