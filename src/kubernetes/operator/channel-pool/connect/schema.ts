import { readStoreId } from '../../../../platform/database/identity.ts'
import type { Store } from '../../../../platform/database/open.ts'
import { PoolBlocked } from './blockers.ts'

export interface SchemaFacts {
  /** The id of the store, for the mark of the sponsor. */
  readonly storeId: string
  /** The last migration that a newer version has made and this operator does not know; undefined when it knows all. */
  readonly unknownMigration: string | undefined
}

/**
 * The newest migration that the code of pools needs; raise it only with a query that needs more. The pods of a Facilitator whose image is
 * pinned bring the database as far as that image does: an operator of the next release still manages its pools.
 */
export const LEAST_MIGRATION = '0001-payments'

/**
 * Reads what the database has. Throws `PoolBlocked` when it lacks a migration that the code of pools needs, or when a newer version has
 * changed it so that this version would do harm.
 */
export async function requireSchema(store: Store): Promise<SchemaFacts> {
  const { missing, newer, unknown } = await store.schemaState()
  if (newer) throw new PoolBlocked('StoreSchemaNewer', `${capitalised(newer.message)}.`)
  const needed = missing.filter((name) => name <= LEAST_MIGRATION)
  if (needed.length > 0) {
    const message =
      `The database lacks ${needed.length} migrations that this operator needs, the last one ${needed.at(-1)}: ` +
      'run svc migrate, or create the Facilitator, whose Job runs it.'
    throw new PoolBlocked('StoreSchemaOutdated', message)
  }
  return { storeId: await readStoreId(store.db), unknownMigration: unknown.at(-1) }
}

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
