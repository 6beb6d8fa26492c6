import { sql } from 'kysely'
import { type NetworkId, networkIds } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { ofEachSpan, type Span } from '../figures/spans.ts'
import type { AddressMeasure } from '../tables.ts'

/** How many addresses paid or were paid in each span; an address counts once for each network. */
export interface UniqueCounts {
  readonly buyers: Readonly<Record<Span, number>>
  readonly sellers: Readonly<Record<Span, number>>
  /** Buyers whose first payment ever observed is in the span. */
  readonly newBuyers: Readonly<Record<Span, number>>
  readonly newSellers: Readonly<Record<Span, number>>
}

interface Row extends Readonly<Record<`in_${Span}`, string>> {
  readonly measure: AddressMeasure
}

/** An address is in a trailing window if its last payment is, and new in it if its first one is. */
export async function readUniqueCounts(db: Db, network?: NetworkId): Promise<UniqueCounts> {
  const networks = network === undefined ? networkIds : [network]
  const { rows } = await sql<Row>`
    select measure, sum(addresses) as in_all, sum(addresses_24h) as in_24h,
      sum(addresses_7d) as in_7d, sum(addresses_30d) as in_30d
    from explorer_address_counts where network = any(${networks})
    group by measure`.execute(db)
  const byMeasure = new Map(rows.map((row) => [row.measure, row]))
  const count = (measure: AddressMeasure, span: Span) =>
    Number(byMeasure.get(measure)?.[`in_${span}`] ?? 0)
  return {
    buyers: ofEachSpan((span) => count(span === 'all' ? 'buyers_first' : 'buyers_last', span)),
    sellers: ofEachSpan((span) => count(span === 'all' ? 'sellers_first' : 'sellers_last', span)),
    newBuyers: ofEachSpan((span) => count('buyers_first', span)),
    newSellers: ofEachSpan((span) => count('sellers_first', span)),
  }
}
