import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import type { ListingState, Trust } from '../tables.ts'

/** A listing as readers see it, with the facts about its options and its host. */
export interface ListingDetail {
  readonly id: string
  readonly itemKey: string
  readonly network: string
  readonly owner: string
  readonly state: ListingState
  /** Whether it is in no list and no search, although it is published. */
  readonly isLeftOut: boolean
  readonly trust: Trust
  readonly version: number
  readonly settlements: number
  readonly firstCatalogedAt: Date
  /** Null before it was published. */
  readonly firstPublishedAt: Date | null
  readonly lastSettledAt: Date
  readonly updatedAt: Date
  /** `ListingContent` of the catalog. */
  readonly content: unknown
  /** `ListingOutcome` of the catalog. */
  readonly lastOutcome: unknown
  readonly nextCheckAt: Date | null
  readonly host: string
  /** The statement of the host's stellar.toml about the owner; null until it was read. */
  readonly domainClaim: DomainFact | null
  /** The facts by the places of the options in `content.accepts`, without gaps. */
  readonly options: readonly OptionFacts[]
}

interface DomainFact {
  readonly claimsOwner: boolean
  /** Milliseconds since the Unix epoch. */
  readonly checkedAtMs: number
}

/** The facts of a payment option on the ledger; null until it was read. */
export interface OptionFacts {
  readonly symbol: string | null
  readonly name: string | null
  readonly decimals: number | null
  readonly receivable: boolean | null
  /** When `receivable` was read; milliseconds since the Unix epoch. */
  readonly payeeCheckedAtMs: number | null
  /** When the other facts were read; milliseconds since the Unix epoch. */
  readonly assetCheckedAtMs: number | null
}

type Row = Omit<
  ListingDetail,
  | 'itemKey'
  | 'settlements'
  | 'firstCatalogedAt'
  | 'firstPublishedAt'
  | 'lastSettledAt'
  | 'updatedAt'
  | 'lastOutcome'
  | 'nextCheckAt'
  | 'domainClaim'
> & {
  readonly item_key: string
  readonly settlements: bigint
  readonly first_cataloged_at: Date
  readonly first_published_at: Date | null
  readonly last_settled_at: Date
  readonly updated_at: Date
  readonly last_outcome: unknown
  readonly check_due_at: Date | null
  readonly domain_claim: DomainFact | null
}

/** Listings by their ids, or all of some items. */
type WantedListings = { readonly ids: readonly string[] } | { readonly itemKeys: readonly string[] }

/**
 * Listings in any state, first published first; those that do not exist, or that an administrator has hidden, are left out. One statement, so that the facts
 * are of the options that `content` has.
 */
export async function readListings(
  db: Db,
  wanted: WantedListings,
): Promise<readonly ListingDetail[]> {
  const isWanted =
    'ids' in wanted
      ? sql`id = any(${wanted.ids}::uuid[])`
      : sql`item_key = any(${wanted.itemKeys}::text[])`
  const { rows } = await sql<Row>`
    select id, item_key, network, owner, state, left_out is not null as "isLeftOut", trust, version, settlements, first_cataloged_at,
      first_published_at, last_settled_at, updated_at, content, last_outcome, check_due_at, host,
      (select json_build_object('claimsOwner', claims_owner, 'checkedAtMs', ${epochMs('checked_at')})
        from domain_claims claim
        where (claim.host, claim.network, claim.owner) = (listings.host, listings.network, listings.owner)
          and claims_owner is not null and checked_at is not null) as domain_claim,
      facts.options
    from listings cross join lateral (
      select coalesce(json_agg(json_build_object(
          'symbol', asset_facts.symbol, 'name', asset_facts.name, 'decimals', asset_facts.decimals,
          'receivable', payee_facts.receivable,
          'payeeCheckedAtMs', ${epochMs('payee_facts.checked_at')},
          'assetCheckedAtMs', ${epochMs('asset_facts.checked_at')}) order by place), '[]') as options
      from listing_options option
        left join asset_facts on asset_facts.network = option.network and asset_facts.asset = option.asset
        left join payee_facts on payee_facts.network = option.network and payee_facts.asset = option.asset
          and payee_facts.pay_to = option.pay_to
      where option.listing_id = listings.id
    ) facts
    where ${isWanted} and left_out is distinct from 'hidden'
    order by first_published_at, id`.execute(db)
  return rows.map(
    ({
      item_key: itemKey,
      settlements,
      first_cataloged_at: firstCatalogedAt,
      first_published_at: firstPublishedAt,
      last_settled_at: lastSettledAt,
      updated_at: updatedAt,
      last_outcome: lastOutcome,
      check_due_at: nextCheckAt,
      domain_claim: domainClaim,
      ...same
    }) => ({
      ...same,
      itemKey,
      settlements: Number(settlements),
      firstCatalogedAt,
      firstPublishedAt,
      lastSettledAt,
      updatedAt,
      lastOutcome,
      nextCheckAt,
      domainClaim,
    }),
  )
}

/** A time within JSON, as a number: formatting it as text costs Postgres more than the joins do. */
const epochMs = (column: string) => sql`floor(date_part('epoch', ${sql.ref(column)}) * 1000)`
