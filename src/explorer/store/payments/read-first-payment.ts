import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { kindConditions } from '../feed/read-feed-ranges.ts'
import { columnOf } from '../figures/spans.ts'
import type { Window } from '../tables.ts'

/**
 * Unix seconds of the first payment of a trailing window; null without one. Of a kind whose first payment is older,
 * one look at its index finds the first one within.
 */
export async function readFirstPayment(
  db: Db,
  window: Window,
  network?: NetworkId,
): Promise<number | null> {
  const { rows } = await sql<{ readonly at: bigint | null }>`
    select min(case when k.first_at >= start.at then k.first_at else (
        select position >> 32 from explorer_payments
        where kind = k.id and position >= start.at << 32
        order by position limit 1
      ) end) as at
    from explorer_kinds k
      cross join (select ${sql.ref(`from_${window}`)}::bigint * 3600 as at from explorer_windows) start
    where ${sql.ref(columnOf('payments', window))} > 0 ${kindConditions({ network })}`.execute(db)
  const at = rows[0]?.at ?? null
  return at === null ? null : Number(at)
}
