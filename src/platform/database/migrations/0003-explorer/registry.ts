import { sql } from 'kysely'

/**
 * Keeps the facilitators that are known, and the signers by which payments are attributed.
 */
export const registry = [
  // `claimed_signers`: those that it named without a proof. `signers_changed_at`: when its signers changed last.
  sql`create table explorer_facilitators (
    id text primary key,
    base_url text unique,
    display_name text,
    source text not null check (source in ('own', 'configured', 'announced')),
    verified boolean not null default false,
    networks text[] not null default '{}',
    upto_contracts text[] not null default '{}',
    last_seen_at timestamptz,
    last_error text,
    created_at timestamptz not null default now(),
    due_at timestamptz not null default now(),
    lease_until timestamptz,
    catalog_due_at timestamptz not null default now(),
    claimed_signers jsonb not null default '[]',
    signers_changed_at timestamptz
  )`,
  // The first facilitator that names a signer keeps it. `proven_until`: when the proof of the signer ends; null where none is needed.
  sql`create table explorer_signers (
    network text not null,
    address text not null,
    facilitator text not null references explorer_facilitators (id) on delete cascade,
    claimed_at timestamptz not null default now(),
    proven_until timestamptz,
    primary key (network, address)
  )`,
  // The one rule of attribution: whose signers are known, and what that says of a payment.
  sql`create view explorer_submitters as
    select signer.network, signer.address, signer.facilitator,
      case when source = 'own' then 'svc' else 'verified-facilitator' end as confidence
    from explorer_signers signer join explorer_facilitators on id = facilitator
    where source = 'own' or verified`,
  // Signers that were added, removed or changed: payments that they submitted may be of another kind now. Those are
  // looked at by one source after the other, newest first, down from a position.
  sql`create table explorer_moves (
    network text not null,
    address text not null,
    source text not null default 'tx_source' check (source in ('tx_source', 'fee_source')),
    below_position bigint,
    primary key (network, address)
  )`,
  sql`create function queue_explorer_move(of_network text, of_address text) returns void language sql as $$
    insert into explorer_moves (network, address) values (of_network, of_address)
    on conflict (network, address) do update set source = 'tx_source', below_position = null
  $$`,
  sql`create function queue_explorer_moves_of_signer() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'INSERT' then perform queue_explorer_move(old.network, old.address); end if;
      if tg_op <> 'DELETE' then perform queue_explorer_move(new.network, new.address); end if;
      return null;
    end $$`,
  sql`create trigger explorer_signers_move_payments after insert or delete on explorer_signers
    for each row execute function queue_explorer_moves_of_signer()`,
  sql`create trigger explorer_signers_changed_move_payments after update on explorer_signers
    for each row when ((old.network, old.address, old.facilitator)
      is distinct from (new.network, new.address, new.facilitator))
    execute function queue_explorer_moves_of_signer()`,
  // A deleted facilitator deletes its signers.
  sql`create function queue_explorer_moves_of_facilitator() returns trigger language plpgsql as $$
    begin
      perform queue_explorer_move(network, address) from explorer_signers
        where facilitator = new.id order by network, address;
      return null;
    end $$`,
  sql`create trigger explorer_facilitators_move_payments after update on explorer_facilitators
    for each row when ((old.source, old.verified) is distinct from (new.source, new.verified))
    execute function queue_explorer_moves_of_facilitator()`,
]
