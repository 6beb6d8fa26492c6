import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { Trust } from '../tables.ts'

/** What the search index is made of, and how far it reaches. */
export interface CatalogState {
  /** Of the last change of a listing. */
  readonly revision: number
  /** When the ledger was last asked about an asset; milliseconds, null before the first time. */
  readonly factsAt: number | null
}

/** One statement, of two rows: the index asks this twice a second. */
export async function readCatalogState(db: Db): Promise<CatalogState> {
  const { rows } = await sql<{ revision: bigint; facts_at: Date | null }>`
    select revision, (select max(checked_at) from asset_facts) as facts_at from catalog_revisions`.execute(
    db,
  )
  const [row] = rows
  return { revision: Number(row?.revision ?? 0n), factsAt: row?.facts_at?.getTime() ?? null }
}

/** A listing as the index last saw it. */
export interface ChangedListing {
  readonly id: string
  readonly itemKey: string
  readonly network: NetworkId
  readonly revision: number
  /** Null while it is not published. */
  readonly published: {
    /** Milliseconds. */
    readonly firstPublishedAt: number
    readonly host: string
    readonly trust: Trust
    /** `ListingContent` of the catalog. */
    readonly content: unknown
  } | null
}

/** Where a page of changes ended. */
export interface ChangesFrom {
  readonly revision: number
  /** With listings of the same revision: after this one. */
  readonly id: string
}

/** Before every listing. */
export const firstChange: ChangesFrom = {
  revision: 0,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
}

/**
 * The listings that changed after `from`, oldest change first. Revisions become visible in their order, so nothing
 * below the last one of a page appears later.
 */
export async function listChangedListings(
  db: Db,
  from: ChangesFrom,
  limit: number,
): Promise<readonly ChangedListing[]> {
  const { rows } = await sql<ChangedRow>`
    select id, item_key, network, revision, host, trust,
      case when state = 'published' then first_published_at end as published_at,
      case when state = 'published' then content end as content
    from listings
    where revision >= ${from.revision}
      and (revision, id) > (${from.revision}::bigint, ${from.id}::uuid)
    order by revision, id
    limit ${limit}`.execute(db)
  return rows.map(changedListing)
}

interface ChangedRow {
  id: string
  item_key: string
  network: NetworkId
  revision: bigint
  host: string
  trust: Trust
  published_at: Date | null
  content: unknown
}

const changedListing = (row: ChangedRow): ChangedListing => ({
  id: row.id,
  itemKey: row.item_key,
  network: row.network,
  revision: Number(row.revision),
  published: row.published_at && {
    firstPublishedAt: row.published_at.getTime(),
    host: row.host,
    trust: row.trust,
    content: row.content,
  },
})

/** What the ledger says of an asset. */
export interface AssetFact {
  readonly network: NetworkId
  readonly asset: string
  readonly symbol: string | null
  readonly decimals: number | null
}

/** Of every asset in which a listing is sold. */
export const listAssetFacts = (db: Db): Promise<readonly AssetFact[]> =>
  db
    .selectFrom('asset_facts')
    .select(['network', 'asset', 'symbol', 'decimals'])
    .where('checked_at', 'is not', null)
    .execute()
