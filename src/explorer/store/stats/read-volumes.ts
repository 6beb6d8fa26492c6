import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { columnOf, type Span } from '../figures/spans.ts'
import type { AssetFacts } from '../payments/read-payment-details.ts'

/** Payments to a seller in one asset. */
export interface SellerVolume {
  readonly network: NetworkId
  readonly seller: number
  readonly asset: AssetFacts
  readonly payments: number
  /** Base units. */
  readonly amount: string
}

interface Row extends AssetFacts, Pick<SellerVolume, 'network' | 'seller' | 'amount'> {
  readonly payments: string
}

/** The volume of each seller in each asset in which it was paid in the span, in no order. @param sellers ids of addresses */
export async function readVolumes(
  db: Db,
  sellers: readonly number[],
  span: Span,
): Promise<readonly SellerVolume[]> {
  if (sellers.length === 0) return []
  const payments = sql.ref(`s.${columnOf('payments', span)}`)
  const { rows } = await sql<Row>`
    select a.network, volumes.seller, a.contract, a.code, a.issuer, a.decimals, volumes.payments, volumes.amount
    from (
      select s.seller, k.asset, sum(${payments}) as payments,
        sum(${sql.ref(`s.${columnOf('amount', span)}`)}) as amount
      from explorer_seller_kinds s join explorer_kinds k on k.id = s.kind
      where s.seller = any(${sellers}) and ${payments} > 0
      group by s.seller, k.asset
    ) volumes join explorer_assets a on a.id = volumes.asset`.execute(db)
  return rows.map(({ network, seller, payments: count, amount, ...asset }) => ({
    network,
    seller,
    payments: Number(count),
    amount,
    asset,
  }))
}
