import { sql } from 'kysely'
import type { Db } from '../../../src/store/schema.ts'

/** SQL of the payments with what figures need of them. */
const counted = `select payment.kind, payment.seller, payment.buyer, payment.amount, kind.network,
    payment.position >> 32 as at, (payment.position >> 32) / 3600 as hour
  from explorer_payments payment join explorer_kinds kind on kind.id = payment.kind`

const spans = ['', '_24h', '_7d', '_30d']
const isWithin = (span: string, hour = 'hour') =>
  span === '' ? 'true' : `${hour} >= (select from${span} from explorer_windows)`

const windowCounts = spans
  .map((span) => `count(*) filter (where ${isWithin(span)}) as payments${span}`)
  .join(', ')
const windowAmounts = spans
  .map((span) => `coalesce(sum(amount) filter (where ${isWithin(span)}), 0) as amount${span}`)
  .join(', ')
const firstAndLast = 'min(at) as first_at, max(at) as last_at'
const columns = (...names: string[]) => names.join(', ')
const counters = columns(...spans.map((span) => `payments${span}`))
const amounts = columns(...spans.map((span) => `amount${span}`))

const pairs = `select network, seller, buyer, count(*) as payments, ${firstAndLast}
  from counted group by network, seller, buyer`

const people = (role: 'buyer' | 'seller') => `select network, '${role}s' as measure,
  min(at) / 3600 as first_hour, max(at) / 3600 as last_hour
  from counted group by network, ${role}`

/** What each table has to say: what it has, and what follows from the payments alone. */
const tables: Readonly<Record<string, { readonly actual: string; readonly expected: string }>> = {
  explorer_kinds: {
    // A kind stays when its last payment has moved to another one.
    actual: `select id, ${counters}, ${amounts}, first_at, last_at from explorer_kinds
      where (${counters}, ${amounts}) <> (0, 0, 0, 0, 0, 0, 0, 0)
        or first_at is not null or last_at is not null`,
    expected: `select kind, ${windowCounts}, ${windowAmounts}, ${firstAndLast}
      from counted group by kind`,
  },
  explorer_sellers: {
    actual: `select network, seller, address, ${counters}, self_payments, first_at, last_at
      from explorer_sellers where not registered or first_at is not null`,
    expected: `select network, seller, address, ${windowCounts},
        count(*) filter (where seller = buyer), ${firstAndLast}
      from counted join explorer_addresses on id = seller group by network, seller, address`,
  },
  'buyers of explorer_sellers': {
    actual: `select network, seller, ${columns(...spans.map((span) => `buyers${span}`))}
      from explorer_sellers where not registered or first_at is not null`,
    expected: `select network, seller,
        ${columns(...spans.map((span) => `count(*) filter (where ${isWithin(span, 'last_at / 3600')})`))}
      from (${pairs}) pairs group by network, seller`,
  },
  explorer_seller_kinds: {
    actual: `select seller, kind, ${counters}, ${amounts}, first_at, last_at
      from explorer_seller_kinds`,
    expected: `select seller, kind, ${windowCounts}, ${windowAmounts}, ${firstAndLast}
      from counted group by seller, kind`,
  },
  explorer_buyers: {
    actual: 'select network, buyer, payments, first_at, last_at from explorer_buyers',
    expected: `select network, buyer, count(*), ${firstAndLast}
      from counted group by network, buyer`,
  },
  explorer_buyer_kinds: {
    actual: 'select buyer, kind, payments from explorer_buyer_kinds',
    expected: 'select buyer, kind, count(*) from counted group by buyer, kind',
  },
  explorer_pairs: {
    actual: 'select network, seller, buyer, payments, first_at, last_at from explorer_pairs',
    expected: pairs,
  },
  explorer_kind_hours: {
    actual: 'select hour, kind, payments, amount from explorer_kind_hours',
    expected: 'select hour, kind, count(*), sum(amount) from counted group by hour, kind',
  },
  explorer_seller_hours: {
    actual: 'select hour, seller, kind, payments, amount from explorer_seller_hours',
    expected: `select hour, seller, kind, count(*), sum(amount)
      from counted where ${isWithin('_30d')} group by hour, seller, kind`,
  },
  explorer_seller_buyer_hours: {
    actual: `select hour, network, seller, buyers from explorer_seller_buyer_hours
      where buyers <> 0`,
    expected: `select last_at / 3600, network, seller, count(*) from (${pairs}) pairs
      where ${isWithin('_30d', 'last_at / 3600')} group by last_at / 3600, network, seller`,
  },
  explorer_address_hours: {
    actual: `select network, measure, hour, addresses from explorer_address_hours
      where addresses <> 0`,
    expected: `select network, measure || '_' || which, hour, count(*)
      from (${people('buyer')} union all ${people('seller')}) people
      cross join lateral (values ('first', first_hour), ('last', last_hour)) seen (which, hour)
      group by network, measure, which, hour`,
  },
  // Until every move is done, some are still attributed as before.
  'attribution of explorer_payments': {
    actual: `select encode(tx_hash, 'hex'), facilitator, confidence
      from explorer_payments join explorer_kinds on id = kind
      where not exists (select from explorer_moves)`,
    expected: `select encode(tx_hash, 'hex'),
        case when tx.source is not null then tx.id when fee.source is not null then fee.id end,
        case when coalesce(tx.source, fee.source) = 'own' then 'svc'
          when coalesce(tx.source, fee.source) is not null then 'verified-facilitator'
          else 'x402-shaped' end
      from explorer_payments payment join explorer_kinds kind on kind.id = kind
      left join lateral (${knownSigner('tx_source')}) tx on true
      left join lateral (${knownSigner('fee_source')}) fee on true
      where not exists (select from explorer_moves)`,
  },
}

function knownSigner(source: string): string {
  return `select facilitator.id, facilitator.source
    from explorer_addresses
    join explorer_signers signer using (address)
    join explorer_facilitators facilitator on facilitator.id = signer.facilitator
    where explorer_addresses.id = payment.${source} and signer.network = kind.network
      and (facilitator.source = 'own' or facilitator.verified)`
}

/**
 * Counts every figure of the explorer again, from its payments alone, and returns every row that differs: those that
 * are missing, and those that are there instead. Nothing of the writer's code takes part. Payments that retention has
 * dropped cannot be counted again.
 */
export async function recount(db: Db): Promise<readonly string[]> {
  const differences = Object.entries(tables).map(
    ([table, { actual, expected }]) =>
      `select '${table}' as table, side, content::text from (
        (select 'missing' as side, row_to_json(it) as content from
          (select * from (${expected}) a except all select * from (${actual}) b) it)
        union all
        (select 'wrong', row_to_json(it) from
          (select * from (${actual}) b except all select * from (${expected}) a) it)
      ) differences`,
  )
  const { rows } = await sql<{ table: string; side: string; content: string }>`
    with counted as materialized (${sql.raw(counted)})
    ${sql.raw(differences.join(' union all '))}`.execute(db)
  return rows.map(({ table, side, content }) => `${table}: ${side} ${content}`)
}
