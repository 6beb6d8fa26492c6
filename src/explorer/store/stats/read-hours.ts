import { type RawBuilder, sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { kindConditions } from '../feed/read-feed-ranges.ts'
import type { AssetFacts } from '../payments/read-payment-details.ts'
import type { Confidence } from '../tables.ts'

/** Assets per bucket. Anybody may create assets and pay with them: an answer must not grow with their number. */
const MAX_ASSETS = 100

/** Payments of a bucket in one asset and confidence, or in all assets that have fewer payments than the first 100. */
export interface BucketTotal {
  /** Number of the bucket since the Unix epoch. */
  readonly bucket: number
  readonly confidence: Confidence
  /** Undefined: the total of all further assets, whose amounts cannot be added up. */
  readonly asset: AssetFacts | undefined
  readonly payments: number
  /** Base units. */
  readonly amount: string
}

export interface HoursQuery {
  readonly network?: NetworkId | undefined
  readonly facilitator?: string | undefined
  readonly asset?: string | undefined
  /** Hours of a seller are kept as long as the longest window. */
  readonly seller?: string | undefined
  /** The first hour since the Unix epoch, how many, and how many make a bucket. */
  readonly from: number
  readonly hours: number
  readonly hoursABucket: number
}

interface Row extends Omit<AssetFacts, 'contract'>, Pick<BucketTotal, 'confidence'> {
  readonly contract: string | null
  /** Bucket, payments and amount. */
  readonly buckets: readonly (readonly [number, number, string])[]
}

/**
 * Buckets that have payments, in no order. Those of one asset and confidence come in one row: thousands of rows would
 * take the driver most of the time.
 */
export async function readHours(db: Db, query: HoursQuery): Promise<readonly BucketTotal[]> {
  const { network, facilitator, asset, hoursABucket } = query
  const { rows } = await sql<Row>`
    select totals.confidence, totals.buckets, a.contract, a.code, a.issuer, a.decimals
    from (
      select confidence, asset, json_agg(json_build_array(bucket, payments, amount::text)) as buckets
      from (
        select bucket, confidence, case when place <= ${MAX_ASSETS} then asset end as asset,
          sum(payments) as payments, sum(amount) as amount
        from (
          select *, dense_rank() over (partition by bucket order by in_asset desc, asset) as place
          from (
            select *, sum(payments) over (partition by bucket, asset) as in_asset
            from (
              select h.hour / ${hoursABucket}::integer as bucket, k.confidence, k.asset,
                sum(h.payments) as payments, sum(h.amount) as amount
              from ${sourceOf(query)} join explorer_kinds k on k.id = h.kind
              where true ${kindConditions({ network, facilitator, asset })}
              group by 1, 2, 3
            ) each_asset
          ) counted
        ) placed group by 1, 2, 3
      ) buckets group by 1, 2
    ) totals left join explorer_assets a on a.id = totals.asset`.execute(db)
  return rows.flatMap(({ confidence, buckets, contract, ...facts }) => {
    const known = contract === null ? undefined : { contract, ...facts }
    return buckets.map(([bucket, payments, amount]) => ({
      ...{ bucket, confidence, payments, amount },
      asset: known,
    }))
  })
}

const HOURS_A_DAY = 24

/** The rows of hours, as `h`, or of days if those are asked for. A seller has no days. */
function sourceOf({ seller, from, hours, hoursABucket }: HoursQuery): RawBuilder<unknown> {
  if (seller === undefined && hoursABucket === HOURS_A_DAY) {
    return sql`(select day * ${HOURS_A_DAY} as hour, kind, payments, amount from explorer_kind_days
      where day >= ${from / HOURS_A_DAY}::integer and day < ${(from + hours) / HOURS_A_DAY}::integer) h`
  }
  if (seller === undefined) {
    return sql`(select * from explorer_kind_hours where hour >= ${from} and hour < ${from + hours}) h`
  }
  return sql`(select * from explorer_seller_hours
    where seller = (select id from explorer_addresses where address = ${seller})
      and hour >= ${from} and hour < ${from + hours}) h`
}
