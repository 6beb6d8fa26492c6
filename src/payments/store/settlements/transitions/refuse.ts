import { sql } from 'kysely'
import type { Stroops } from '../../../../platform/core/amounts/stroops.ts'
import { claimableStates, type Db } from '../../../../platform/database/schema.ts'
import {
  isSettlement,
  type Settlement,
  type SettlementKey,
  type SettlementRow,
  type StoredResponse,
  toSettlement,
} from '../settlement.ts'

export interface Refusal {
  readonly key: SettlementKey
  readonly attempt: number
  /** The network's result. */
  readonly resultCode: string
  /** Refuses nothing that was recorded longer ago, by the database's clock. */
  readonly recordedWithinMs: number
}

/**
 * Ends an attempt whose envelope the network refused. Moves the envelope to the refused attempts
 * and frees the channel, whose next use reads its sequence number from the ledger, in one statement. The row's
 * attempt rises, so that no process sends the envelope again that read the row before. False, and nothing is
 * written, when the row is not at this attempt any more, or was recorded too long ago: then another replica may
 * have sent the envelope too.
 */
export async function refuseAttempt(
  db: Db,
  { key, attempt, resultCode, recordedWithinMs }: Refusal,
): Promise<boolean> {
  const { rows } = await sql<{ id: bigint }>`
    with open as materialized (
      select * from settlements
      where ${isSettlement(key)} and attempt = ${attempt} and state = 'submitted'
        and recorded_at
          > clock_timestamp() - ${recordedWithinMs}::double precision * interval '1 millisecond'
      for update
    ), kept as (
      insert into refused_attempts (settlement_id, attempt, channel, envelope_xdr, tx_hash, inner_hash,
        max_time, recorded_at, recorded_at_ledger, result_code, refused_at)
      select id, attempt, channel, envelope_xdr, tx_hash, inner_hash, max_time, recorded_at,
        recorded_at_ledger, ${resultCode}::text, clock_timestamp() from open
    ), refused as (
      update settlements set state = 'refused', was_refused = true, attempt = open.attempt + 1, channel = null,
        envelope_xdr = null, tx_hash = null, inner_hash = null, max_time = null, recorded_at = null,
        recorded_at_ledger = null, due_at = null, unresolvable_because = null, pending_on = null
      from open where settlements.id = open.id
      returning settlements.id
    ), freed as (
      update channels set lease_owner = null, lease_settlement = null, lease_expires_at = null,
        last_used_at = clock_timestamp(), sequence = null
      from refused where channels.lease_settlement = refused.id
    )
    select id from refused`.execute(db)
  return rows.length > 0
}

/** An attempt that the network refused, with what could still find its transaction on a ledger. */
export interface RefusedAttempt {
  readonly attempt: number
  /** 64 hex digits, of the fee bump. */
  readonly txHash: string
  /** 64 hex digits, of the transaction inside. */
  readonly innerHash: string
  /** Base64. */
  readonly envelopeXdr: string
  readonly recordedAtLedger: number
}

/** Latest first. */
export async function listRefusedAttempts(
  db: Db,
  key: SettlementKey,
): Promise<readonly RefusedAttempt[]> {
  const rows = await db
    .selectFrom('refused_attempts')
    .innerJoin('settlements', 'settlements.id', 'refused_attempts.settlement_id')
    .selectAll('refused_attempts')
    .where(isSettlement(key))
    .orderBy('refused_attempts.attempt', 'desc')
    .execute()
  return rows.map((row) => ({
    attempt: row.attempt,
    txHash: row.tx_hash,
    innerHash: row.inner_hash,
    envelopeXdr: row.envelope_xdr,
    recordedAtLedger: Number(row.recorded_at_ledger),
  }))
}

export interface LandedAfterAll {
  readonly key: SettlementKey
  /** The refused attempt whose transaction the ledger has. */
  readonly attempt: number
  readonly response: StoredResponse
  readonly ledger: number
  readonly feeCharged: Stroops
}

/**
 * Finishes a settlement as succeeded: a ledger has the transaction of an attempt that every endpoint refused.
 * Undefined when the settlement is under way again or final.
 */
export async function finishRefusedAsSucceeded(
  db: Db,
  { key, attempt, response, ledger, feeCharged }: LandedAfterAll,
): Promise<Settlement | undefined> {
  const { rows } = await sql<SettlementRow>`
    update settlements set state = 'succeeded', response = ${JSON.stringify(response)}::json,
      ledger = ${ledger}, fee_charged = ${feeCharged}, finished_at = clock_timestamp(),
      channel = landed.channel, envelope_xdr = landed.envelope_xdr, tx_hash = landed.tx_hash,
      inner_hash = landed.inner_hash, max_time = landed.max_time, recorded_at = landed.recorded_at,
      recorded_at_ledger = landed.recorded_at_ledger
    from refused_attempts landed
    where ${isSettlement(key)} and settlements.state in (${sql.join(claimableStates)})
      and landed.settlement_id = settlements.id and landed.attempt = ${attempt}
    returning settlements.*`.execute(db)
  const [row] = rows
  return row && toSettlement(row)
}
