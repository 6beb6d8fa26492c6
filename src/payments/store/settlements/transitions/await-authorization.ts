import { sql } from 'kysely'
import type { Db } from '../../../../platform/database/schema.ts'
import { isSettlement, type SettlementKey } from '../settlement.ts'

export interface AuthorizationWait {
  readonly key: SettlementKey
  readonly attempt: number
  /** Of the envelope that no ledger can include any more. */
  readonly txHash: string
  /** When any replica looks at it again. */
  readonly dueInMs: number
}

/**
 * Frees the channel of a recorded settlement whose envelope is on no ledger and can be on none, before its outcome is known: others
 * can still make its payment. The settlement stays unfinished. Returns whether a channel was freed; a repeated call moves the
 * due time alone.
 */
export async function awaitAuthorization(
  db: Db,
  { key, attempt, txHash, dueInMs }: AuthorizationWait,
): Promise<boolean> {
  const { rows } = await sql<{ account: string }>`
    with open as (
      update settlements set awaits_authorization = true,
        due_at = clock_timestamp() + ${dueInMs}::double precision * interval '1 millisecond'
      where ${isSettlement(key)} and attempt = ${attempt} and tx_hash = ${txHash} and state = 'submitted'
      returning id
    )
    update channels set lease_owner = null, lease_settlement = null, lease_expires_at = null,
      last_used_at = clock_timestamp(), sequence = null, misses = channels.misses + 1
    from open where channels.lease_settlement = open.id
    returning channels.account`.execute(db)
  return rows.length > 0
}
