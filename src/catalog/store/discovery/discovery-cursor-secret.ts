import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'

const NAME = 'search cursors'

/**
 * The secret that signs search cursors, in hex, the same for every replica. The first caller's `candidate` becomes it,
 * and stays.
 */
export async function keptCursorSecret(db: Db, candidate: string): Promise<string> {
  await sql`insert into catalog_secrets (name, value) values (${NAME}, ${candidate})
    on conflict (name) do nothing`.execute(db)
  const { value } = await db
    .selectFrom('catalog_secrets')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirstOrThrow()
  return value
}
