import { sql } from 'kysely'
import type { Stroops } from '../../../../platform/core/amounts/stroops.ts'
import { inTransaction } from '../../../../platform/database/in-transaction.ts'
import type { Db } from '../../../../platform/database/schema.ts'
import { databaseNow } from '../../../../platform/database/sql-time.ts'
import { storableText } from '../../../../platform/database/storable-text.ts'
import { MAX_URL_LENGTH } from '../claim/claim-statement.ts'
import { findSettlement } from '../find.ts'
import {
  isSettlement,
  type Metering,
  type RecordedEnvelope,
  type SettlementFacts,
  type SettlementKey,
  type StoredResponse,
} from '../settlement.ts'

/** A settlement that succeeded, as the process knows it that has followed it. */
export interface SucceededSettlement {
  readonly key: SettlementKey
  readonly attempt: number
  readonly fingerprint: string
  readonly sponsor: string
  readonly facts: SettlementFacts
  readonly metering: Metering
  readonly recorded: Omit<RecordedEnvelope, 'recordedAt'>
  readonly response: StoredResponse
  readonly ledger: number
  readonly feeCharged: Stroops
}

/**
 * `restored`: it was stored. `underway`: a repeat has recorded another envelope, which has not ended. `settled`: the store has a
 * success of the authorization.
 */
export type Restored = 'restored' | 'underway' | 'settled'

/**
 * Stores a settlement that the store has lost, as after a failover to a standby that lacks the last commits. A claim of it
 * ends: the payment is made. So does the failure of another envelope, which a repeat has recorded since: the ledger takes an
 * authorization once, and it has taken this one.
 *
 * In two statements, since the triggers that count usage and fees count the end of a released row, and not an insert. What
 * they had counted of this settlement is lost with its row.
 */
export const restoreSucceeded = (db: Db, settlement: SucceededSettlement): Promise<Restored> =>
  inTransaction(db, async (transaction) => {
    await deleteFailed(transaction, settlement)
    await claimRefused(transaction, settlement)
    const id = await release(transaction, settlement)
    if (id === undefined) return stateOf(transaction, settlement)
    await succeed(transaction, id, settlement)
    return 'restored'
  })

/** A final row never changes, so another one takes its place. The fee that its envelope cost stays counted. */
const deleteFailed = (db: Db, { key, recorded }: SucceededSettlement) =>
  sql`delete from settlements where ${isSettlement(key)}
    and settlements.state in ('failed', 'expired') and settlements.tx_hash <> ${recorded.txHash}`.execute(
    db,
  )

async function stateOf(db: Db, { key, recorded }: SucceededSettlement): Promise<Restored> {
  const row = await findSettlement(db, key)
  // It may have failed since `deleteFailed`: the next try takes its place.
  const hasFailed =
    (row?.state === 'failed' || row?.state === 'expired') &&
    row.recorded?.txHash !== recorded.txHash
  return row?.state === 'submitted' || hasFailed ? 'underway' : 'settled'
}

/**
 * A refused row can only be claimed as a later attempt, or succeed. To succeed would leave the facts of the request whose
 * envelope was refused, so the row becomes a claim first, which `release` replaces.
 */
const claimRefused = (db: Db, { key, attempt }: SucceededSettlement) =>
  sql`update settlements set state = 'claimed', attempt = greatest(attempt + 1, ${attempt}::integer)
    where ${isSettlement(key)} and state = 'refused'`.execute(db)

/** Puts a released row of this payment in the place of whatever the store has without an envelope; undefined when it has one. */
async function release(
  db: Db,
  { key, attempt, fingerprint, facts, metering, sponsor }: SucceededSettlement,
): Promise<bigint | undefined> {
  const resourceUrl = storableText(facts.resourceUrl, MAX_URL_LENGTH) ?? null
  const { rows } = await sql<{ id: bigint }>`
    with released as (
      insert into settlements as known (network, payer, nonce, attempt, state, fingerprint, scheme,
        asset, pay_to, amount, resource_url, sponsor, owner, claimed_at, claim_expires_at, caller, service_fee)
      values (${key.network}, ${key.payer}, ${key.nonce}, ${attempt}, 'released', ${fingerprint},
        ${facts.scheme}, ${facts.asset}, ${facts.payTo}, ${facts.amount}, ${resourceUrl}, ${sponsor},
        'restored', clock_timestamp(), clock_timestamp(), ${metering.caller}, ${metering.serviceFee})
      on conflict (network, payer, nonce) do update set
        attempt = excluded.attempt, state = excluded.state, fingerprint = excluded.fingerprint,
        scheme = excluded.scheme, asset = excluded.asset, pay_to = excluded.pay_to,
        amount = excluded.amount, resource_url = excluded.resource_url, sponsor = excluded.sponsor,
        owner = excluded.owner, claimed_at = excluded.claimed_at, caller = excluded.caller,
        service_fee = excluded.service_fee
        where known.state in ('claimed', 'released', 'abandoned')
      returning id
    ), freed as (
      update channels set lease_owner = null, lease_settlement = null, lease_expires_at = null
      from released where channels.lease_settlement = released.id
    )
    select id from released`.execute(db)
  return rows[0]?.id
}

async function succeed(
  db: Db,
  id: bigint,
  { recorded, response, ledger, feeCharged }: SucceededSettlement,
): Promise<void> {
  await db
    .updateTable('settlements')
    .set({
      state: 'succeeded',
      channel: recorded.channel,
      envelope_xdr: recorded.envelopeXdr,
      tx_hash: recorded.txHash,
      inner_hash: recorded.innerHash,
      max_time: BigInt(recorded.maxTime),
      recorded_at: databaseNow,
      recorded_at_ledger: BigInt(recorded.recordedAtLedger),
      response: JSON.stringify(response),
      ledger: BigInt(ledger),
      fee_charged: feeCharged,
      finished_at: databaseNow,
    })
    .where('id', '=', id)
    .execute()
}
