import type { Db } from './schema.ts'

/** The migration that gives a store its identity; a database without it has none. */
export const IDENTITY_MIGRATION = '0020-store-identity'

/** Random, one for each database; at most 64 characters. Of a database that has `IDENTITY_MIGRATION`. */
export async function readStoreId(db: Db): Promise<string> {
  const { id } = await db.selectFrom('store_identity').select('id').executeTakeFirstOrThrow()
  return id
}
