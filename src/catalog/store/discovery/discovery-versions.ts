import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import type { ListingState, Trust, VersionCause } from '../tables.ts'

export interface ListingVersion {
  readonly version: number
  readonly createdAt: Date
  readonly cause: VersionCause
  /** The transaction of the payment that led to it. */
  readonly transaction: string | null
  readonly owner: string
  readonly trust: Trust
  readonly state: ListingState
  /** `ListingContent` of the catalog. */
  readonly content: unknown
}

type Row = Omit<ListingVersion, 'createdAt'> & { readonly created_at: Date }

interface Limits {
  readonly versions: number
  /** Limit of the contents together; the newest version is read in any case. */
  readonly bytes: number
}

/** The newest versions of a listing, oldest first; none when there is no such listing, or an administrator has hidden it. */
export async function readVersions(
  db: Db,
  id: string,
  limits: Limits,
): Promise<readonly ListingVersion[]> {
  const { rows } = await sql<Row>`
    select version, created_at, cause, transaction, owner, trust, state, content from (
      select newest.*, sum(octet_length(content::text)) over (order by version desc) as bytes,
        row_number() over (order by version desc) as place
      from (
        select * from listing_versions where listing_id = ${id}
          and not exists (select from listings where id = ${id} and left_out = 'hidden')
        order by version desc limit ${limits.versions}
      ) newest
    ) sized where bytes <= ${limits.bytes} or place = 1 order by version`.execute(db)
  return rows.map(({ created_at: createdAt, ...same }) => ({ ...same, createdAt }))
}
