/**
 * The ids of payments (x402 extension `payment-identifier`). An id belongs to the first payload that was claimed with it, by one payer in
 * one scope, and never to another one: not even when the payment was not made.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db, SettlementState } from '../../../../platform/database/schema.ts'
import type { SettlementKey } from '../settlement.ts'

/** An id as the payload of a payment has it. */
export interface BoundIdentifier {
  /** Within which the payer's ids are told apart: the caller's API key, or the payee. */
  readonly scope: string
  readonly identifier: string
  /** SHA-256 of the payment payload, hex. */
  readonly payloadHash: string
}

/** The payment to which an id belongs, as far as the store still has it. */
export interface FirstPayment {
  readonly network: string
  /** Null once its settlement is deleted. */
  readonly state: SettlementState | null
  /** 64 hex digits, of what was sent last, or of the transaction that made the payment. */
  readonly transaction: string | null
  /** The last ledger in which its authorization is valid. */
  readonly expirationLedger: number | null
  readonly isResolvable: boolean
  /** Whether an envelope of it may have been sent, in this attempt or an earlier one. */
  readonly mayBeSent: boolean
}

/** An expression: the payment as JSON of `FirstPayment` when another payload has the id; else null. */
export const firstPaymentWith = (
  { payer }: Pick<SettlementKey, 'payer'>,
  { scope, identifier, payloadHash }: BoundIdentifier,
): RawBuilder<FirstPayment | null> => sql<FirstPayment | null>`(
  select json_build_object(
    'network', bound.network,
    'state', first.state,
    'transaction', coalesce(nullif(first.response ->> 'transaction', ''), first.tx_hash),
    'expirationLedger', first.expiration_ledger,
    'isResolvable', first.unresolvable_because is null,
    'mayBeSent', coalesce(first.was_refused or first.state <> all ('{claimed,released,abandoned}'), true))
  from payment_identifiers bound
    left join settlements first on first.network = bound.network
      and first.payer = bound.payer and first.nonce = bound.nonce
  where bound.payer = ${payer} and bound.scope = ${scope}
    and bound.identifier = ${identifier} and bound.payload_hash <> ${payloadHash})`

/** The payment of another payload that has the id; undefined when none has. */
export async function findFirstPayment(
  db: Db,
  key: Pick<SettlementKey, 'payer'>,
  identifier: BoundIdentifier,
): Promise<FirstPayment | undefined> {
  const { rows } = await sql<{ first: FirstPayment | null }>`
    select ${firstPaymentWith(key, identifier)} as first`.execute(db)
  return rows[0]?.first ?? undefined
}

/** An expression over the rows of a claim's statement: the refusal of a request whose id another payload has. */
export const refusalByIdentifier = sql`case when identifier is not null and exists (
    select from payment_identifiers bound
    where bound.payer = asked.payer and bound.scope = asked.scope
      and bound.identifier = asked.identifier and bound.payload_hash <> asked.payload_hash)
  then 'identifier_taken' end`

/**
 * Binds the ids of the claims of a statement, in one order, so that two statements never wait for each other. When another statement has
 * bound one of them to another payload since this one began, this one ends with `SVC03`, and nothing of it is written.
 */
export const boundIdentifiers = (network: string) => sql<object>`(
  insert into payment_identifiers as known (payer, scope, identifier, payload_hash, network, nonce, bound_at)
  select payer, scope, identifier, payload_hash, ${network}, nonce, clock_timestamp()
  from claim join request on request.place = claim.request
  where identifier is not null
  order by payer, scope, identifier
  on conflict (payer, scope, identifier) do update set payload_hash = refuse_identifier()
    where known.payload_hash <> excluded.payload_hash
  returning known.identifier)`
