import { type SqlBool, sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

export interface OldSettlements {
  readonly network: NetworkId
  /** Settlements that ended less than this long ago are kept. */
  readonly keptDays: number
  /** The network's latest ledger. */
  readonly latestLedger: number
}

/** Rows of one statement; few, so that no other writer waits long for their locks. */
export const DELETED_AT_ONCE = 500

/**
 * A finished settlement is kept for about a day of ledgers after its authorization expired. Until it expires, the
 * row is what keeps a payment that was answered as failed from being made by a repeat. Afterwards the network
 * refuses the authorization. A day is far more than an endpoint in use can lag behind, and an administrator still
 * finds the failures of today, however short the retention.
 */
const LEDGERS_AFTER_EXPIRY = 17_280

/**
 * Rows that were stored again after a failover have no expiration ledger, see restore.ts. A payment passes its checks only if its authorization expires
 * within `maxTimeoutSeconds`, at most 3,600 s, and two ledgers of the ledger that the row records; a ledger takes
 * at least a second.
 */
const MAX_LEDGERS_TO_EXPIRY = 3_600 + 2

/**
 * Deletes a network's oldest settlements that nothing needs any more, `DELETED_AT_ONCE` at most. Any number of
 * replicas may call it at once: each skips rows that another one has locked. Returns how many it deleted.
 */
export async function deleteOldSettlements(db: Db, old: OldSettlements): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from settlements where id = any(array(
      select id from settlements where ${mayBeDeleted(old)}
      order by claimed_at limit ${DELETED_AT_ONCE}::integer for update skip locked))`.execute(db)
  return Number(numAffectedRows)
}

const mayBeDeleted = ({ network, keptDays, latestLedger }: OldSettlements) => {
  const cutoff = sql`statement_timestamp() - ${keptDays}::integer * interval '1 day'`
  return sql<SqlBool>`settlements.network = ${network} and settlements.claimed_at < ${cutoff}
    and (${hasNoAnswer} and settlements.claim_expires_at < ${cutoff}
      or ${isFinal} and settlements.finished_at < ${cutoff}
        and (${isLongExpired(latestLedger)} or ${isBeforeReset(latestLedger)}))
    and not exists (select from channels where channels.lease_settlement = settlements.id)`
}

/** A retry claims these again, so without the row it does the same. */
const hasNoAnswer = sql<SqlBool>`settlements.state in ('released', 'abandoned', 'refused')`

const isFinal = sql<SqlBool>`settlements.state in ('succeeded', 'failed', 'expired')`

const isLongExpired = (latestLedger: number) =>
  sql<SqlBool>`coalesce(settlements.expiration_ledger,
    settlements.recorded_at_ledger + ${MAX_LEDGERS_TO_EXPIRY}::integer)
    + ${LEDGERS_AFTER_EXPIRY}::integer < ${latestLedger}::bigint`

/** The ledgers of the network were counted from 1 again, without this authorization. */
const isBeforeReset = (latestLedger: number) =>
  sql<SqlBool>`settlements.recorded_at_ledger > ${latestLedger}::bigint`

/** A buyer who repeats a payment does so within days; the ids of older payments may name others. */
const IDENTIFIER_DAYS = 30

/**
 * Deletes ids that were bound `IDENTIFIER_DAYS` or `keptDays` ago, whichever is longer, and whose settlement is deleted: `DELETED_AT_ONCE` at
 * most. Any number of replicas may call it at once. Returns how many it deleted.
 */
export async function deleteOldIdentifiers(db: Db, keptDays: number): Promise<number> {
  const days = Math.max(keptDays, IDENTIFIER_DAYS)
  const { numAffectedRows = 0n } = await sql`
    delete from payment_identifiers where (network, payer, scope, identifier) in (
      select network, payer, scope, identifier from payment_identifiers bound
      where bound_at < statement_timestamp() - ${days}::integer * interval '1 day'
        and not exists (select from settlements where settlements.network = bound.network
          and settlements.payer = bound.payer and settlements.nonce = bound.nonce)
      order by bound_at limit ${DELETED_AT_ONCE}::integer for update skip locked)`.execute(db)
  return Number(numAffectedRows)
}
