import { sql } from 'kysely'
import type { Db } from '../../../src/platform/database/schema.ts'
import { addressOf } from '../../../src/stellar/accounts/strkey.ts'

const PAYEES = 3_000

/** The address of a seller; one has about seven listings. */
export const payee = (at: number): string => {
  const key = Buffer.alloc(32)
  key.writeUInt32BE(at)
  return addressOf(key)
}

/** Listings of 1.5 kB each, of 3,000 sellers, three of four on testnet, some with two options and on two networks. */
export async function fillCatalog(db: Db, listings: number): Promise<void> {
  const payees = Array.from({ length: PAYEES }, (_, at) => payee(at))
  await sql`with made as (
      select n, case when n % 4 = 0 then 'stellar:pubnet' else 'stellar:testnet' end as network,
        -- Every eighth resource is the one before it, on the other network.
        case when n % 8 = 0 then n - 1 else n end as resource,
        (${payees}::text[])[1 + n % ${PAYEES}::integer] as owner
      from generate_series(1, ${listings}::integer) n)
    insert into listings (id, item_key, network, kind, resource, method, tool_name, host, owner, state, trust,
        version, settlements, first_cataloged_at, first_published_at, last_settled_at, updated_at, content,
        extensions, revision, last_outcome)
      select gen_random_uuid(), encode(sha256(resource::text::bytea), 'hex'), network,
        case when resource % 5 = 0 then 'mcp' else 'http' end, 'https://s' || resource || '.example/api',
        case when resource % 5 <> 0 then 'GET' end, case when resource % 5 = 0 then 'tool' end,
        's' || resource || '.example', owner,
        case when n % 20 = 0 then 'quarantined' else 'published' end, 'origin_verified', 1, n % 100,
        at, at, at, at,
        json_build_object('resource', 'https://s' || resource || '.example/api', 'kind', case when resource % 5 = 0 then 'mcp' else 'http' end,
          'method', 'GET', 'description', repeat(md5(n::text), 20), 'serviceName', 'Service ' || n,
          'extensions', case when n % 3 = 0 then array['bazaar', 'payment-identifier'] else array['bazaar'] end,
          'bazaar', json_build_object('info', json_build_object('input', json_build_object('type', 'http')),
            'schema', json_build_object('type', 'object', 'description', repeat(md5(n::text), 10))),
          'accepts', (select json_agg(json_build_object('scheme', scheme, 'network', network, 'asset', 'CASSET',
              'payTo', owner, 'amount', '1000', 'maxTimeoutSeconds', 60)) from unnest(schemes) scheme)),
        case when n % 3 = 0 then '{bazaar,payment-identifier}'::text[] else '{bazaar}' end, n, '{}'
      from made, lateral (select timestamptz '2026-01-01' + n * interval '1 minute' as at,
        case when n % 3 = 0 then array['exact', 'upto'] else array['exact'] end as schemes) more`.execute(
    db,
  )
  await sql`update catalog_revisions set revision = ${listings}`.execute(db)
  await sql`insert into listing_options
    select listings.id, place - 1, network, accepted->>'scheme', 'CASSET', owner, owner, 1000
    from listings, lateral json_array_elements(content->'accepts') with ordinality
      as accepts (accepted, place)`.execute(db)
  await sql`insert into asset_facts (network, asset, symbol, name, decimals, checked_at, due_at)
    select network, 'CASSET', 'USDC', 'USD Coin', 7, now(), now()
    from unnest(array['stellar:testnet', 'stellar:pubnet']) network`.execute(db)
  await sql`insert into payee_facts (network, asset, pay_to, receivable, checked_at, due_at)
    select distinct network, asset, pay_to, true, now(), now() from listing_options`.execute(db)
  await sql`vacuum analyze`.execute(db)
}

/** Changes rows of one seller as settlements do, without an effect on the order of the list. */
export const settleSome = (db: Db, at: number): Promise<unknown> =>
  sql`update listings set settlements = settlements + 1, last_settled_at = now()
    where owner = ${payee((at * 7) % PAYEES)}`.execute(db)

/** Publishes one of the quarantined listings. */
export const publishOne = (db: Db): Promise<unknown> =>
  sql`update listings set state = 'published', revision = next_catalog_revision()
    where id = (select id from listings where state = 'quarantined' limit 1)`.execute(db)
