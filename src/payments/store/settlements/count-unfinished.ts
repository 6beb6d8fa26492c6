import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow } from '../../../platform/database/sql-time.ts'

/**
 * Settlements of a network that are not final, counted. `submitted` includes `unresolvable`; the others
 * do not overlap.
 */
export interface UnfinishedCounts {
  /** Claims that have not expired; nothing is recorded. */
  readonly claimed: number
  /** Expired claims, which any replica, or `svc retire`, abandons. */
  readonly lapsed: number
  /** Recorded and sent; the ledger or an administrator ends them. */
  readonly submitted: number
  /** The number of `submitted` settlements whose outcome the endpoints could not prove. */
  readonly unresolvable: number
}

export async function countUnfinished(db: Db, network: NetworkId): Promise<UnfinishedCounts> {
  const counts = await db
    .selectFrom('settlements')
    .select((eb) => {
      const count = () => eb.fn.countAll<bigint>()
      const claimed = () => count().filterWhere('state', '=', 'claimed')
      const submitted = () => count().filterWhere('state', '=', 'submitted')
      return [
        claimed().filterWhere('claim_expires_at', '>', databaseNow).as('claimed'),
        claimed().filterWhere('claim_expires_at', '<=', databaseNow).as('lapsed'),
        submitted().as('submitted'),
        submitted().filterWhere('unresolvable_because', 'is not', null).as('unresolvable'),
      ]
    })
    .where('network', '=', network)
    .where('state', 'in', ['claimed', 'submitted'])
    .executeTakeFirstOrThrow()
  return {
    claimed: Number(counts.claimed),
    lapsed: Number(counts.lapsed),
    submitted: Number(counts.submitted),
    unresolvable: Number(counts.unresolvable),
  }
}
