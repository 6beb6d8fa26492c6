import { type RawBuilder, sql } from 'kysely'
import type { SchemeName } from '../../../payments/protocol/schemes.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { kindConditions, type PaymentFilters } from '../feed/read-feed-ranges.ts'
import { inEachSpan, ofEachSpan, type Span } from '../figures/spans.ts'
import type { AssetFacts } from '../payments/read-payment-details.ts'
import type { Confidence } from '../tables.ts'

export interface Totals {
  readonly payments: Readonly<Record<Span, number>>
  /** Unix seconds; null without a payment. */
  readonly firstAt: number | null
  readonly lastAt: number | null
}

export interface AssetTotals extends Totals {
  readonly asset: AssetFacts
  /** Base units. */
  readonly amount: Readonly<Record<Span, string>>
}

/** Payments counted in every way the interface shows. */
export interface GroupedTotals {
  readonly all: Totals
  readonly byScheme: ReadonlyMap<SchemeName, Totals>
  readonly byConfidence: ReadonlyMap<Confidence, Totals>
  /** Null: payments that no known facilitator submitted. */
  readonly byFacilitator: ReadonlyMap<string | null, Totals>
  /** In no order. */
  readonly byAsset: readonly AssetTotals[]
}

/** By the bits of SQL's `grouping`: 0 for the column that a row is grouped by. */
const levels = { asset: 7, scheme: 11, confidence: 13, facilitator: 14, all: 15 } as const

interface Row extends AssetFacts, Readonly<Record<`payments_in_${Span}`, string>> {
  readonly level: number
  readonly scheme: SchemeName
  readonly confidence: Confidence
  readonly facilitator: string | null
  readonly first_at: bigint | null
  readonly last_at: bigint | null
}

type AmountRow = Row & Readonly<Record<`amount_in_${Span}`, string>>

/**
 * Totals over the kinds that match, of one seller if it is given: read from counters, never from payments.
 * @param seller id of its address
 */
export async function readTotals(
  db: Db,
  filters: Omit<PaymentFilters, 'seller' | 'buyer'>,
  seller?: number,
): Promise<GroupedTotals> {
  const counters =
    seller === undefined
      ? sql`select k.* from explorer_kinds k where k.payments > 0 ${kindConditions(filters)}`
      : sql`select s.*, k.asset, k.scheme, k.confidence, k.facilitator
          from explorer_seller_kinds s join explorer_kinds k on k.id = s.kind
          where s.seller = ${seller} and s.payments > 0 ${kindConditions(filters)}`
  const { rows } = await sql<AmountRow>`
    select totals.*, a.contract, a.code, a.issuer, a.decimals
    from (
      select grouping(asset, scheme, confidence, facilitator) as level,
        asset, scheme, confidence, facilitator,
        ${inEachSpan('payments', sum)}, ${inEachSpan('amount', sum)},
        min(first_at) as first_at, max(last_at) as last_at
      from (${counters}) counters
      group by grouping sets ((asset), (scheme), (confidence), (facilitator), ())
    ) totals left join explorer_assets a on a.id = totals.asset`.execute(db)
  const at = (level: keyof typeof levels) => rows.filter((row) => row.level === levels[level])
  const [all] = at('all')
  return {
    all: all ? totalsOf(all) : noTotals,
    byScheme: new Map(at('scheme').map((row) => [row.scheme, totalsOf(row)])),
    byConfidence: new Map(at('confidence').map((row) => [row.confidence, totalsOf(row)])),
    byFacilitator: new Map(at('facilitator').map((row) => [row.facilitator, totalsOf(row)])),
    byAsset: at('asset').map((row) => ({
      ...totalsOf(row),
      asset: {
        contract: row.contract,
        code: row.code,
        issuer: row.issuer,
        decimals: row.decimals,
      },
      amount: ofEachSpan((span) => row[`amount_in_${span}`]),
    })),
  }
}

const sum = (column: RawBuilder<unknown>) => sql`coalesce(sum(${column}), 0)`

const totalsOf = (row: Row): Totals => ({
  payments: ofEachSpan((span) => Number(row[`payments_in_${span}`])),
  firstAt: row.first_at === null ? null : Number(row.first_at),
  lastAt: row.last_at === null ? null : Number(row.last_at),
})

export const noTotals: Totals = {
  payments: ofEachSpan(() => 0),
  firstAt: null,
  lastAt: null,
}

export const noGroupedTotals: GroupedTotals = {
  all: noTotals,
  byScheme: new Map(),
  byConfidence: new Map(),
  byFacilitator: new Map(),
  byAsset: [],
}
