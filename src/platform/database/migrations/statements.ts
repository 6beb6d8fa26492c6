import type { RawBuilder } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A migration that runs the statements of its parts, in this order. */
export const migrationOf = (...parts: readonly (readonly RawBuilder<unknown>[])[]): Migration => ({
  up: async (db) => {
    for (const statement of parts.flat()) await statement.execute(db)
  },
})
