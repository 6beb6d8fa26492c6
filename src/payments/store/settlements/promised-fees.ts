import { sql } from 'kysely'
import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { stroopsOfSum } from './fee-sum.ts'

export interface PromisedFeesRequest {
  readonly network: NetworkId
  readonly sponsor: string
  /** The ledger at which the sponsor's balance was read. @default the latest */
  readonly balanceLedger?: number
}

/**
 * Fees that the sponsor's balance of `balanceLedger` does not show yet, over all replicas: the maximum fee of
 * each settlement under way, and the charged fee of each that a later ledger includes. Read it after the
 * balance: then no fee is missing, while a fee charged just before the balance was read may count twice.
 *
 * A settlement that is flagged unresolvable or waits for the end of its authorization counts as free: its transaction is past its max time. The transactions of the
 * settlement contract's keeper count as settlements do; one that no process followed for an hour is past its max time.
 */
export async function readPromisedFees(
  db: Db,
  { network, sponsor, balanceLedger = Number.MAX_SAFE_INTEGER }: PromisedFeesRequest,
): Promise<Stroops> {
  // The second sum finds its rows by the claim time. A transaction is valid for at most a minute, and it is
  // recorded within half a minute of the claim: three minutes include every ledger after a recent balance.
  const { rows } = await sql<{ promised: string }>`
    select
      (select coalesce(sum(fee_committed), 0) from settlements
        where network = ${network} and sponsor = ${sponsor}
          and state in ('claimed', 'submitted') and unresolvable_because is null
          and not awaits_authorization)
      + (select coalesce(sum(fee_charged), 0) from settlements
        where network = ${network} and sponsor = ${sponsor}
          and claimed_at > statement_timestamp() - interval '3 minutes'
          and ledger > ${balanceLedger})
      + (select coalesce(sum(fee_counted), 0) from upto_keeper_transactions
        where network = ${network} and sponsor = ${sponsor}
          and (state in ('reserved', 'submitted') or ledger > ${balanceLedger})
          and reserved_at > statement_timestamp() - interval '1 hour') as promised`.execute(db)
  return stroopsOfSum(rows[0]?.promised ?? 0n)
}
