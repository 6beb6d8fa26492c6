import { sql } from 'kysely'
import type { Db } from '../../platform/database/schema.ts'

/** A vector of an embeddings endpoint and the text that it stands for. */
export interface StoredEmbedding {
  /** SHA-256 of the text, hex. */
  readonly hash: string
  readonly vector: Float32Array
}

/** Reads at most this many at a time: a vector takes up to 16 KiB. */
const PER_STATEMENT = 200
/** Vectors that no index used for this long are deleted. */
const KEPT_DAYS = 30

/** The stored vectors of these texts, and notes once a day that they are in use. */
export async function findEmbeddings(
  db: Db,
  model: string,
  hashes: readonly string[],
): Promise<readonly StoredEmbedding[]> {
  const found: StoredEmbedding[] = []
  for (let at = 0; at < hashes.length; at += PER_STATEMENT) {
    const some = hashes.slice(at, at + PER_STATEMENT)
    const rows = await db
      .selectFrom('search_embeddings')
      .select(['content_hash', 'vector'])
      .where('model', '=', model)
      .where('content_hash', 'in', some)
      .execute()
    found.push(...rows.map((row) => ({ hash: row.content_hash, vector: vectorOf(row.vector) })))
    await noteUse(db, model, some)
  }
  return found
}

/** Sorted, so that two replicas do not deadlock. */
async function noteUse(db: Db, model: string, hashes: readonly string[]): Promise<void> {
  await sql`update search_embeddings set used_at = clock_timestamp()
    where (model, content_hash) in (
      select model, content_hash from search_embeddings
      where model = ${model} and content_hash in (${sql.join([...hashes])})
        and used_at < clock_timestamp() - interval '1 day'
      for update skip locked)`.execute(db)
}

/** Stores vectors; one that another replica stored meanwhile stays. */
export async function storeEmbeddings(
  db: Db,
  model: string,
  embeddings: readonly StoredEmbedding[],
): Promise<void> {
  if (embeddings.length === 0) return
  const sorted = embeddings.toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
  await db
    .insertInto('search_embeddings')
    .values(
      sorted.map(({ hash, vector }) => ({
        model,
        content_hash: hash,
        vector: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
        used_at: sql<Date>`clock_timestamp()`,
      })),
    )
    .onConflict((conflict) => conflict.columns(['model', 'content_hash']).doNothing())
    .execute()
}

/** Deletes what nothing has used for a month, of any model. */
export async function deleteUnusedEmbeddings(db: Db): Promise<void> {
  await sql`delete from search_embeddings where (model, content_hash) in (
    select model, content_hash from search_embeddings
    where used_at < clock_timestamp() - ${KEPT_DAYS} * interval '1 day'
    limit 10000 for update skip locked)`.execute(db)
}

/** A copy: the driver may reuse the memory, and its start may be at no multiple of four. */
const vectorOf = (bytes: Uint8Array): Float32Array =>
  new Float32Array(Uint8Array.from(bytes).buffer)
