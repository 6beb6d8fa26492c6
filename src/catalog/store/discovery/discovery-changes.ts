import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import type { ListingKind } from '../tables.ts'

/** What filters and the catalog's order need of a listing that was published once. */
export interface OrderedListing {
  readonly id: string
  readonly itemKey: string
  readonly network: string
  readonly kind: ListingKind
  readonly isPublished: boolean
  /** Microseconds since the Unix epoch, as precise as the database has it. */
  readonly firstPublishedUs: number
  readonly extensions: readonly string[]
  readonly options: readonly OrderedOption[]
}

export interface OrderedOption {
  /** In `content.accepts`. */
  readonly place: number
  readonly scheme: string
  readonly payTo: string
  /** The `G...` account of a muxed `payTo`; otherwise the same. */
  readonly account: string
}

/** Where a batch of changes ended. */
interface ChangePlace {
  readonly revision: bigint
  /** Of a listing; with equal revisions, changes are in the order of the ids. */
  readonly id: string
}

/** Before the first change after a revision. */
export const placeAfter = (revision: bigint): ChangePlace => ({
  revision,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
})

export interface CatalogChanges {
  /** Of the catalog. */
  readonly revision: bigint
  /** Where the next batch begins; undefined when this one reaches up to `revision`. */
  readonly next: ChangePlace | undefined
  /** The database's time, in microseconds since the Unix epoch. */
  readonly nowUs: number
  readonly listings: readonly OrderedListing[]
}

type Row = { readonly revision: bigint; readonly now_us: number } & (
  | { readonly id: null }
  | (Omit<OrderedListing, 'itemKey' | 'isPublished' | 'firstPublishedUs'> & {
      readonly changed_at: bigint
      readonly item_key: string
      readonly is_published: boolean
      readonly first_published_us: number
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
      select id, listings.revision as changed_at, item_key, network, kind, state = 'published' as is_published, extensions,
        (extract(epoch from first_published_at) * 1000000)::double precision as first_published_us,
        coalesce((select json_agg(json_build_object('place', place, 'scheme', scheme, 'payTo', pay_to,
            'account', pay_to_account) order by place)
          from listing_options where listing_id = listings.id), '[]') as options
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

function listingOf(row: Row): OrderedListing[] {
  if (row.id === null) return []
  const { id, item_key: itemKey, network, kind, is_published: isPublished } = row
  const { first_published_us: firstPublishedUs, extensions, options } = row
  return [{ id, itemKey, network, kind, isPublished, firstPublishedUs, extensions, options }]
}
