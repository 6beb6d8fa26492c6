import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { ListingKind, Trust } from '../tables.ts'

/** A listing that was published once, as the catalog's order, its filters and its search need it. */
export interface ChangedListing {
  readonly id: string
  readonly itemKey: string
  readonly network: NetworkId
  readonly kind: ListingKind
  readonly host: string
  readonly trust: Trust
  /** Microseconds since the Unix epoch, as precise as the database has it. */
  readonly firstPublishedUs: number
  /** The same of the listing of its item that was published first. */
  readonly itemFirstPublishedUs: number
  readonly extensions: readonly string[]
  /** `ListingContent` of the catalog; null while it is not published, or left out. */
  readonly content: unknown
}

/** Where a batch of changes ended. */
interface ChangePlace {
  readonly revision: bigint
  /** The id of a listing; with equal revisions, changes are in the order of the ids. */
  readonly id: string
}

/** The place before the first change after a revision. */
export const placeAfter = (revision: bigint): ChangePlace => ({
  revision,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
})

export interface CatalogChanges {
  /** The revision of the catalog. */
  readonly revision: bigint
  /** Where the next batch begins; undefined when this one reaches up to `revision`. */
  readonly next: ChangePlace | undefined
  /** The database's time, in microseconds since the Unix epoch. */
  readonly nowUs: number
  readonly listings: readonly ChangedListing[]
}

type Row = { readonly revision: bigint; readonly now_us: number } & (
  | { readonly id: null }
  | (Omit<ChangedListing, 'itemKey' | 'firstPublishedUs' | 'itemFirstPublishedUs'> & {
      readonly changed_at: bigint
      readonly item_key: string
      readonly first_published_us: number
      readonly item_first_published_us: number
    })
)

/** The listings that changed last, oldest change first, at most `limit`. Those that were never published are left out. */
export async function readCatalogChanges(
  db: Db,
  after: ChangePlace,
  limit: number,
): Promise<CatalogChanges> {
  const { rows } = await sql<Row>`
    select catalog.revision, (extract(epoch from clock_timestamp()) * 1000000)::double precision as now_us,
      changed.*
    from catalog_revisions catalog left join lateral (
      select id, listings.revision as changed_at, item_key, network, kind, host, trust, extensions,
        (extract(epoch from first_published_at) * 1000000)::double precision as first_published_us,
        (select (extract(epoch from min(one.first_published_at)) * 1000000)::double precision from listings one
          where one.item_key = listings.item_key) as item_first_published_us,
        case when state = 'published' and left_out is null then content end as content
      from listings
      where listings.revision >= ${after.revision}
        and (listings.revision, id) > (${after.revision}::bigint, ${after.id}::uuid)
        and first_published_at is not null
      order by listings.revision, id limit ${limit}
    ) changed on true order by changed_at, id`.execute(db)
  const [first] = rows
  if (!first) throw new Error('the catalog has no revision')
  const last = rows.at(-1)
  const next =
    rows.length === limit && last && last.id !== null
      ? { revision: last.changed_at, id: last.id }
      : undefined
  const { revision, now_us: nowUs } = first
  return { revision, nowUs, next, listings: rows.flatMap(listingOf) }
}

function listingOf(row: Row): ChangedListing[] {
  if (row.id === null) return []
  const { id, network, kind, host, trust, extensions, content } = row
  return [
    {
      id,
      itemKey: row.item_key,
      ...{ network, kind, host, trust, extensions, content },
      firstPublishedUs: row.first_published_us,
      itemFirstPublishedUs: row.item_first_published_us,
    },
  ]
}
