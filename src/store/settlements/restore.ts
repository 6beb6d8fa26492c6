import { sql } from 'kysely'
import type { Stroops } from '../../core/stroops.ts'
import type { Db } from '../schema.ts'
import { storableText } from '../storable-text.ts'
import { MAX_URL_LENGTH } from './claim-statement.ts'
import type {
  RecordedEnvelope,
  SettlementFacts,
  SettlementKey,
  StoredResponse,
} from './settlement.ts'

/** A settlement that succeeded, as the process knows it that has followed it. */
export interface SucceededSettlement {
  readonly key: SettlementKey
  readonly attempt: number
  readonly fingerprint: string
  readonly sponsor: string
  readonly facts: SettlementFacts
  readonly recorded: Omit<RecordedEnvelope, 'recordedAt'>
  readonly response: StoredResponse
  readonly ledger: number
  readonly feeCharged: Stroops
}

/**
 * Stores a settlement that the store has lost, as after a failover to a standby that lacks the last commits. False, and
 * nothing is written, when the store has recorded an envelope of the authorization. A claim of it ends: the payment is made.
 */
export async function restoreSucceeded(
  db: Db,
  { key, recorded, facts, ...settlement }: SucceededSettlement,
): Promise<boolean> {
  const { rows } = await sql<{ id: bigint }>`
    with restored as (
      insert into settlements as known (network, payer, nonce, attempt, state, fingerprint, scheme,
        asset, pay_to, amount, resource_url, sponsor, owner, claimed_at, claim_expires_at, channel,
        envelope_xdr, tx_hash, inner_hash, max_time, recorded_at, recorded_at_ledger, response, ledger,
        fee_charged, finished_at)
      values (${key.network}, ${key.payer}, ${key.nonce}, ${settlement.attempt}, 'succeeded',
        ${settlement.fingerprint}, ${facts.scheme}, ${facts.asset}, ${facts.payTo}, ${facts.amount},
        ${storableText(facts.resourceUrl, MAX_URL_LENGTH) ?? null}, ${settlement.sponsor}, 'restored', clock_timestamp(),
        clock_timestamp(), ${recorded.channel}, ${recorded.envelopeXdr}, ${recorded.txHash},
        ${recorded.innerHash}, ${recorded.maxTime}, clock_timestamp(), ${recorded.recordedAtLedger},
        ${JSON.stringify(settlement.response)}::json, ${settlement.ledger}, ${settlement.feeCharged},
        clock_timestamp())
      on conflict (network, payer, nonce) do update set
        attempt = excluded.attempt, state = excluded.state, fingerprint = excluded.fingerprint,
        scheme = excluded.scheme, asset = excluded.asset, pay_to = excluded.pay_to,
        amount = excluded.amount, resource_url = excluded.resource_url, sponsor = excluded.sponsor,
        owner = excluded.owner, channel = excluded.channel, envelope_xdr = excluded.envelope_xdr,
        tx_hash = excluded.tx_hash, inner_hash = excluded.inner_hash, max_time = excluded.max_time,
        recorded_at = excluded.recorded_at, recorded_at_ledger = excluded.recorded_at_ledger,
        response = excluded.response, ledger = excluded.ledger, fee_charged = excluded.fee_charged,
        finished_at = excluded.finished_at
        where known.state in ('claimed', 'released', 'abandoned', 'refused')
      returning id
    ), freed as (
      update channels set lease_owner = null, lease_settlement = null, lease_expires_at = null
      from restored where channels.lease_settlement = restored.id
    )
    select id from restored`.execute(db)
  return rows.length > 0
}
