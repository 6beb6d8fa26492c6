import type { Db } from './schema.ts'

/** Random, one for each database; at most 64 characters. */
export async function readStoreId(db: Db): Promise<string> {
  const { id } = await db.selectFrom('store_identity').select('id').executeTakeFirstOrThrow()
  return id
}
