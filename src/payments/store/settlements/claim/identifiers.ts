/**
 * The ids of payments (x402 extension `payment-identifier`). An id belongs to the first payload that was claimed with it, by one payer of a
 * network in one scope, and never to another one: not even when the payment was not made.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db, SettlementState } from '../../../../platform/database/schema.ts'
import type { SettlementKey } from '../settlement.ts'

/** An id as the payload of a payment has it. */
export interface BoundIdentifier {
  /** In each of which the payer uses the id once: the payee, and the caller's API key where it has one. */
  readonly scopes: readonly string[]
  readonly identifier: string
  /** SHA-256 of the payment payload, hex. */
  readonly payloadHash: string
}

/** A payment that was claimed with its id. */
export interface IdentifiedPayment {
  readonly key: SettlementKey
  readonly identifier: BoundIdentifier
}

/** The payment to which an id belongs, as far as the store still has it. */
export interface FirstPayment {
  /** Null when its settlement is deleted, or lost. */
  readonly state: SettlementState | null
  /** 64 hex digits, of what was sent last, or of the transaction that made the payment. */
  readonly transaction: string | null
  /** The last ledger in which its authorization is valid. */
  readonly expirationLedger: number | null
  readonly isResolvable: boolean
  /** Whether an envelope of it may have been sent, in this attempt or an earlier one. */
  readonly mayBeSent: boolean
}

type IdentifiedPayer = Pick<SettlementKey, 'network' | 'payer'>

/** An expression: the payment as JSON of `FirstPayment` when another payload has the id; else null. */
export const firstPaymentWith = (
  { network, payer }: IdentifiedPayer,
  { scopes, identifier, payloadHash }: BoundIdentifier,
): RawBuilder<FirstPayment | null> => sql<FirstPayment | null>`(
  select json_build_object(
    'state', first.state,
    'transaction', coalesce(nullif(first.response ->> 'transaction', ''), first.tx_hash),
    'expirationLedger', first.expiration_ledger,
    'isResolvable', first.unresolvable_because is null,
    'mayBeSent', coalesce(first.was_refused or first.state <> all ('{claimed,released,abandoned}'), true))
  from payment_identifiers bound
    left join settlements first on first.network = bound.network
      and first.payer = bound.payer and first.nonce = bound.nonce
  where bound.network = ${network} and bound.payer = ${payer} and bound.scope = any(${scopes}::text[])
    and bound.identifier = ${identifier} and bound.payload_hash <> ${payloadHash}
  order by bound.bound_at limit 1)`

/** The payment of another payload that has the id; undefined when none has. */
export async function findFirstPayment(
  db: Db,
  key: IdentifiedPayer,
  identifier: BoundIdentifier,
): Promise<FirstPayment | undefined> {
  const { rows } = await sql<{ first: FirstPayment | null }>`
    select ${firstPaymentWith(key, identifier)} as first`.execute(db)
  return rows[0]?.first ?? undefined
}

/** An expression over the rows of a claim's statement: the refusal of a request whose id another payload has. */
export const refusalByIdentifier = (
  network: string,
) => sql`case when identifier is not null and exists (
    select from payment_identifiers bound
    where bound.network = ${network} and bound.payer = asked.payer and bound.scope = any(asked.scopes)
      and bound.identifier = asked.identifier and bound.payload_hash <> asked.payload_hash)
  then 'identifier_taken' end`

/**
 * Binds the ids of the claims of a statement, in one order, so that two statements never wait for each other. When another statement has
 * bound one of them to another payload since this one began, this one ends with `SVC03`, and nothing of it is written.
 */
export const boundIdentifiers = (network: string) => sql<object>`(
  insert into payment_identifiers as known (network, payer, scope, identifier, payload_hash, nonce, bound_at)
  select ${network}, payer, scope, identifier, payload_hash, nonce, clock_timestamp()
  from claim join request on request.place = claim.request cross join unnest(request.scopes) as scope
  where identifier is not null
  order by payer, scope, identifier
  on conflict (network, payer, scope, identifier) do update set payload_hash = refuse_identifier()
    where known.payload_hash <> excluded.payload_hash
  returning known.identifier)`

/**
 * Binds ids again that the store has lost, as after a failover to a standby that lacks the last commits. An id that it has stays with its
 * payload, whichever that is. Returns how many rows it had lost.
 */
export async function bindLost(db: Db, payments: readonly IdentifiedPayment[]): Promise<number> {
  if (payments.length === 0) return 0
  const rows = payments.map(({ key, identifier: { scopes, identifier, payloadHash } }) => ({
    ...key,
    scopes,
    identifier,
    payload_hash: payloadHash,
  }))
  const { numAffectedRows = 0n } = await sql`
    insert into payment_identifiers (network, payer, scope, identifier, payload_hash, nonce, bound_at)
    select network, payer, scope, identifier, payload_hash, nonce, clock_timestamp()
    from json_to_recordset(${JSON.stringify(rows)}::json) as lost (
        network text, payer text, nonce text, scopes text[], identifier text, payload_hash text)
      cross join unnest(lost.scopes) as scope
    order by network, payer, scope, identifier
    on conflict (network, payer, scope, identifier) do nothing`.execute(db)
  return Number(numAffectedRows)
}
