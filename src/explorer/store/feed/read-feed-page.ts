import { type RawBuilder, sql } from 'kysely'
import type { SchemeName } from '../../../payments/protocol/schemes.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { closedAtOf, MAX_POSITION } from '../ingest/position.ts'
import type { AssetFacts, PaymentDetail } from '../payments/read-payment-details.ts'
import { type Bought, withBought } from '../payments/read-resources.ts'
import type { Confidence } from '../tables.ts'
import { idOf, kindConditions, type PaymentFilters, sourceOf } from './read-feed-ranges.ts'
import { columns, type FeedKey, type Row, toPayment } from './read-feed-rows.ts'

/** With more ranges, one statement might read too many payments. */
const MAX_RANGES = 200

export interface PageQuery {
  readonly limit: number
  readonly after: FeedKey | undefined
}

interface DetailRow extends Row, AssetFacts {
  readonly network: NetworkId
  readonly started_at: Date
  readonly scheme: SchemeName
  readonly confidence: Confidence
  readonly facilitator: string | null
  readonly display_name: string | null
  readonly seller_address: string
  readonly buyer_address: string
  readonly tx_source_address: string
  readonly fee_source_address: string | null
  /** Null for a seller that no catalog names. */
  readonly registered: boolean | null
  readonly service_name: string | null
  readonly resource: string | null
}

type PageRow = { readonly ranges: bigint } & (DetailRow | { readonly position: null })

/**
 * A page with all of its names, in one statement: ranges, payments and names are thus of one moment, without a
 * transaction. What the listed sellers sell is read after it. Undefined if the filters give too many ranges for that.
 *
 * The range with the most payments bounds the others: where it alone fills the page, no older payment can be on it.
 */
export async function readFeedPage(
  db: Db,
  filters: PaymentFilters,
  page: PageQuery,
): Promise<readonly PaymentDetail[] | undefined> {
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const { rows } = await sql<PageRow>`
    with ${isFiltered ? filteredPage(filters, page) : firstPayments(page)}
    select (select count(*) from range) as ranges, page.*, ${addresses}, kind_names.*,
      listed.registered, listed.service_name, listed.resource
    from (select 1) always left join page on true
      left join lateral (${kindNames}) kind_names on true
      left join explorer_sellers listed
        on listed.network = kind_names.network and listed.seller = page.seller and listed.registered
    order by ${newestFirst}`.execute(db)
  if (Number(rows[0]?.ranges) > MAX_RANGES) return undefined
  return withBought(
    db,
    rows.flatMap((row) => (row.position === null ? [] : [toDetail(row)])),
  )
}

const newestFirst = sql`position desc, tx_hash desc, op_index desc`

/** Conditions on a payment, each with a leading `and`. */
const behind = (after: FeedKey | undefined): RawBuilder<unknown> =>
  after
    ? sql`and position <= ${after.position} and (position < ${after.position}
        or (tx_hash, op_index) < (decode(${after.txHash}, 'hex'), ${after.opIndex}::smallint))`
    : sql``

const firstPayments = ({ limit, after }: PageQuery) => sql`
    range as (select where false),
    page as materialized (
      select ${columns} from explorer_payments where true ${behind(after)}
      order by ${newestFirst} limit ${limit}
    )`

function filteredPage(filters: PaymentFilters, { limit, after }: PageQuery) {
  const { seller, buyer } = filters
  const { source, first, last, busiest } = sourceOf(filters)
  const conditions = sql`${behind(after)}
    ${seller === undefined ? sql`` : sql`and seller = ${idOf(seller)}`}
    ${buyer === undefined ? sql`` : sql`and buyer = ${idOf(buyer)}`}`
  return sql`
    range as materialized (
      select k.id as kind, (${last} + 1) << 32 as below
      from ${source}
      where ${first} <= ${closedAtOf(after?.position ?? MAX_POSITION)} ${kindConditions(filters)}
      order by ${busiest} limit ${MAX_RANGES + 1}
    ),
    bound as materialized (
      select coalesce((select position from explorer_payments
        where kind = (select kind from range limit 1) ${conditions}
        order by position desc limit 1 offset ${limit - 1}), 0) as position
    ),
    page as materialized (
      select payment.* from range cross join lateral (
        select ${columns} from explorer_payments
        where kind = range.kind and position < range.below
          and position >= (select position from bound) ${conditions}
        order by ${newestFirst} limit ${limit}
      ) payment
      where (select count(*) from range) <= ${MAX_RANGES}
      order by ${newestFirst} limit ${limit}
    )`
}

/** Values of their own: Postgres plans them apart, in a fraction of the time of so many joins. */
const addresses = sql.join(
  ['seller', 'buyer', 'tx_source', 'fee_source'].map(
    (name) => sql`(select address from explorer_addresses where id = page.${sql.ref(name)})
      as ${sql.ref(`${name}_address`)}`,
  ),
)

/** The limit keeps Postgres from planning these joins together with the others. */
const kindNames = sql`
  select k.network, e.started_at, k.scheme, k.confidence, k.facilitator, f.display_name,
    a.contract, a.code, a.issuer, a.decimals
  from explorer_kinds k
    join explorer_epochs e on e.id = k.epoch
    join explorer_assets a on a.id = k.asset
    left join explorer_facilitators f on f.id = k.facilitator
  where k.id = page.kind limit 1`

function toDetail(row: DetailRow): Omit<PaymentDetail, keyof Bought> {
  const { network, scheme, confidence, facilitator, contract, code, issuer, decimals } = row
  return {
    ...toPayment(row),
    ...{ network, scheme, confidence },
    epochStartedAt: row.started_at,
    facilitator: facilitator === null ? null : { id: facilitator, displayName: row.display_name },
    asset: { contract, code, issuer, decimals },
    seller: row.seller_address,
    buyer: row.buyer_address,
    txSource: row.tx_source_address,
    feeSource: row.fee_source_address,
    listed: row.registered ? { serviceName: row.service_name, resource: row.resource } : null,
  }
}
