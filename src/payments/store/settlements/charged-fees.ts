import { sql } from 'kysely'
import type { Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { stroopsOfSum } from './fee-sum.ts'

export interface ChargedFeesRequest {
  readonly network: NetworkId
  readonly sponsor: string
  /** Fees of later ledgers count. */
  readonly afterLedger: number
  /** How long ago that ledger closed, at least. */
  readonly withinMs: number
}

/** Longer than a settlement lasts from its claim to its ledger. */
const CLAIMED_BEFORE_MS = 180_000

/** The fees that ledgers after `afterLedger` have charged a sponsor, for settlements and for its keeper's transactions. */
export async function readChargedFees(
  db: Db,
  { network, sponsor, afterLedger, withinMs }: ChargedFeesRequest,
): Promise<Stroops> {
  const sinceMs = withinMs + CLAIMED_BEFORE_MS
  const { rows } = await sql<{ charged: string }>`
    select
      (select coalesce(sum(fee_charged), 0) from settlements
        where network = ${network} and sponsor = ${sponsor} and ledger > ${afterLedger}
          and claimed_at > statement_timestamp() - ${sinceMs} * interval '1 millisecond')
      + (select coalesce(sum(fee_counted), 0) from upto_keeper_transactions
        where network = ${network} and sponsor = ${sponsor} and ledger > ${afterLedger}
          and reserved_at > statement_timestamp() - ${sinceMs} * interval '1 millisecond') as charged`.execute(
    db,
  )
  return stroopsOfSum(rows[0]?.charged ?? 0n)
}
