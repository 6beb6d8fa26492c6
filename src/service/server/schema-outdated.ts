import type { Store } from '../../platform/database/open.ts'

/** The schema is older than this version of the commands. */
export class SchemaOutdated extends Error {
  override readonly name = 'SchemaOutdated'

  constructor(missing: readonly string[]) {
    super(`the database lacks ${missing.join(', ')}: run svc migrate of this version first`)
  }
}

/**
 * Throws `SchemaOutdated` when the schema lacks a migration of this version, and `SchemaNewer` when a newer version
 * has removed what this one uses.
 */
export async function requireSchema(store: Store): Promise<void> {
  const { missing, newer } = await store.schemaState()
  if (newer) throw newer
  if (missing.length > 0) throw new SchemaOutdated(missing)
}
