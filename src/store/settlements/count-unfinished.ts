import type { NetworkId } from '../../core/caip2.ts'
import type { Db } from '../schema.ts'
import { databaseNow } from '../sql-time.ts'

/** Settlements of a network that are not final, counted; no settlement is in two of these. */
export interface UnfinishedCounts {
  /** Somebody is at work, and nothing is recorded. */
  readonly claimed: number
  /** Claims whose time is up: any service, or `svc retire`, gives them back. */
  readonly lapsed: number
  /** Recorded: the ledger decides, or an operator. */
  readonly submitted: number
  /** Those of `submitted` that only an operator can end. */
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
