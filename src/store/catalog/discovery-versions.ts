import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import type { ListingState, Trust, VersionCause } from './tables.ts'

export interface ListingVersion {
  readonly version: number
  readonly createdAt: Date
  readonly cause: VersionCause
  /** Of the payment that led to it. */
  readonly transaction: string | null
  readonly owner: string
  readonly trust: Trust
  readonly state: ListingState
  /** `ListingContent` of the catalog. */
  readonly content: unknown
}

type Row = Omit<ListingVersion, 'createdAt'> & { readonly created_at: Date }

/** The newest `limit` versions of a listing, oldest first; none when there is no such listing. */
export async function readVersions(
  db: Db,
  id: string,
  limit: number,
): Promise<readonly ListingVersion[]> {
  const { rows } = await sql<Row>`
    select version, created_at, cause, transaction, owner, trust, state, content from (
      select * from listing_versions where listing_id = ${id} order by version desc limit ${limit}
    ) newest order by version`.execute(db)
  return rows.map(({ created_at: createdAt, ...same }) => ({ ...same, createdAt }))
}
