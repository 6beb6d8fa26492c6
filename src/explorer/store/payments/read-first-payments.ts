import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { columnOf } from '../figures/spans.ts'
import { type Window, windows } from '../tables.ts'

/** The first payment of a network in a trailing window. */
export interface FirstPayment {
  readonly network: NetworkId
  readonly window: Window
  /** Unix seconds. */
  readonly at: number
}

/**
 * The first payment of each network in each trailing window that has any. Of a kind whose first payment is older, one
 * look at its index finds the first one within.
 */
export async function readFirstPayments(db: Db): Promise<readonly FirstPayment[]> {
  const starts = windows.map(
    (window) => sql`(${window}, ${sql.ref(`w.from_${window}`)}::bigint * 3600,
      ${sql.ref(`k.${columnOf('payments', window)}`)})`,
  )
  const { rows } = await sql<{
    readonly network: NetworkId
    readonly name: Window
    readonly at: bigint | null
  }>`
    select k.network, start.name, min(case when k.first_at >= start.at then k.first_at else (
        select position >> 32 from explorer_payments
        where kind = k.id and position >= start.at << 32
        order by position limit 1
      ) end) as at
    from explorer_windows w cross join explorer_kinds k
      cross join lateral (values ${sql.join(starts)}) start (name, at, payments)
    where start.payments > 0
    group by k.network, start.name`.execute(db)
  return rows.flatMap(({ network, name: window, at }) =>
    at === null ? [] : [{ network, window, at: Number(at) }],
  )
}
