import { sql } from 'kysely'

/**
 * The ids that buyers gave their payments (x402 extension `payment-identifier`), each with the one payload that has it. The claim's
 * statement writes the row, so of two payloads with one id only one is ever claimed: `refuse_identifier` ends the statement of the
 * other one, and its claim is not written either. A row never changes.
 *
 * A payment has a row for each `scope`: its payee, and the caller's API key where it has one. The settlement of `network`, `payer` and
 * `nonce` says what became of the payment. It is no foreign key: a row outlasts its settlement where settlements are kept for a few days
 * only, see delete-old.ts.
 */
export const identifiers = [
  sql`create table payment_identifiers (
    network text not null,
    payer text not null,
    scope text not null,
    identifier text not null check (length(identifier) between 16 and 128),
    payload_hash text not null check (payload_hash ~ '^[0-9a-f]{64}$'),
    nonce text not null,
    bound_at timestamptz not null,
    constraint one_payload_per_identifier primary key (network, payer, scope, identifier)
  )`,
  sql`create index payment_identifiers_by_age on payment_identifiers (bound_at)`,
  sql`create function refuse_identifier() returns text language plpgsql volatile as $$
    begin
      raise exception 'another payload has the payment identifier' using errcode = 'SVC03';
    end $$`,
]
