import { shortText } from '../core/text/short-text.ts'
import type { Db } from './schema.ts'

const MAX_LENGTH = 64

/** Random, one for each database; at most 64 characters. */
export async function readStoreId(db: Db): Promise<string> {
  const { id } = await db.selectFrom('store_identity').select('id').executeTakeFirstOrThrow()
  return shortText(id, MAX_LENGTH)
}
