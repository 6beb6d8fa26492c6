import { sql } from 'kysely'
import type { Db } from '../../../src/platform/database/schema.ts'

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

const buyerCounters = columns(...spans.map((span) => `buyers${span}`))
const buyerCounts = spans
  .map((span) => `count(*) filter (where ${isWithin(span, 'last_at / 3600')}) as buyers${span}`)
  .join(', ')

const addressCounters = columns(...spans.map((span) => `addresses${span}`))

const people = (role: 'buyer' | 'seller') => `select network, '${role}s' as measure,
  min(at) / 3600 as first_hour, max(at) / 3600 as last_hour
  from counted group by network, ${role}`

interface Figures {
  readonly table: string
  /** Names of its columns, as `expected` has them. */
  readonly columns: string
  /** SQL of what follows from the payments alone. */
  readonly expected: string
  /** SQL of the rows that say something. @default true */
  readonly isMeant?: string
}

/** Each table of figures, and how it follows from the payments. */
export const figures: readonly Figures[] = [
  {
    table: 'explorer_kinds',
    columns: `id, ${counters}, ${amounts}, first_at, last_at`,
    expected: `select kind, ${windowCounts}, ${windowAmounts}, ${firstAndLast}
      from counted group by kind`,
    // A kind stays when its last payment has moved to another one.
    isMeant: `(${counters}, ${amounts}) <> (0, 0, 0, 0, 0, 0, 0, 0)
      or first_at is not null or last_at is not null`,
  },
  {
    table: 'explorer_sellers',
    columns: `network, seller, address, ${counters}, self_payments, first_at, last_at, ${buyerCounters},
      top_buyer, top_buyer_payments`,
    expected: `select * from (
        select network, seller, address, ${windowCounts}, count(*) filter (where seller = buyer),
          ${firstAndLast}
        from counted join explorer_addresses on id = seller group by network, seller, address
      ) sellers join (
        select network, seller, ${buyerCounts},
          (array_agg(buyer order by payments desc, buyer))[1], max(payments) from (${pairs}) pairs group by network, seller
      ) buyers using (network, seller)`,
    // Registered sellers are there before their first payment.
    isMeant: 'not registered or first_at is not null',
  },
  {
    table: 'explorer_seller_kinds',
    columns: `seller, kind, ${counters}, ${amounts}, first_at, last_at`,
    expected: `select seller, kind, ${windowCounts}, ${windowAmounts}, ${firstAndLast}
      from counted group by seller, kind`,
  },
  {
    table: 'explorer_buyers',
    columns: 'network, buyer, payments, first_at, last_at',
    expected: `select network, buyer, count(*), ${firstAndLast}
      from counted group by network, buyer`,
  },
  {
    table: 'explorer_buyer_kinds',
    columns: 'buyer, kind, payments',
    expected: 'select buyer, kind, count(*) from counted group by buyer, kind',
  },
  {
    table: 'explorer_pairs',
    columns: 'network, seller, buyer, payments, first_at, last_at',
    expected: pairs,
  },
  {
    table: 'explorer_kind_hours',
    columns: 'hour, kind, payments, amount',
    expected: 'select hour, kind, count(*), sum(amount) from counted group by hour, kind',
  },
  {
    table: 'explorer_kind_days',
    columns: 'day, kind, payments, amount',
    expected: 'select hour / 24, kind, count(*), sum(amount) from counted group by hour / 24, kind',
  },
  {
    table: 'explorer_seller_hours',
    columns: 'hour, seller, kind, payments, amount',
    expected: `select hour, seller, kind, count(*), sum(amount)
      from counted where ${isWithin('_30d')} group by hour, seller, kind`,
  },
  {
    table: 'explorer_seller_buyer_hours',
    columns: 'hour, network, seller, buyers',
    expected: `select last_at / 3600, network, seller, count(*) from (${pairs}) pairs
      where ${isWithin('_30d', 'last_at / 3600')} group by last_at / 3600, network, seller`,
    isMeant: 'buyers <> 0',
  },
  {
    table: 'explorer_address_hours',
    columns: 'network, measure, hour, addresses',
    expected: `select network, measure || '_' || which, hour, count(*)
      from (${people('buyer')} union all ${people('seller')}) people
      cross join lateral (values ('first', first_hour), ('last', last_hour)) seen (which, hour)
      group by network, measure, which, hour`,
    isMeant: 'addresses <> 0',
  },
  {
    table: 'explorer_address_counts',
    columns: `network, measure, ${addressCounters}`,
    expected: `select network, measure || '_' || which, ${spans
      .map((span) => `count(*) filter (where ${isWithin(span)}) as addresses${span}`)
      .join(', ')}
      from (${people('buyer')} union all ${people('seller')}) people
      cross join lateral (values ('first', first_hour), ('last', last_hour)) seen (which, hour)
      group by network, measure, which`,
  },
]

/** Until every move is done, some are still attributed as before. */
const attribution: Figures = {
  table: `(select encode(tx_hash, 'hex') as hash, facilitator, confidence
    from explorer_payments join explorer_kinds on id = kind) attribution`,
  columns: 'hash, facilitator, confidence',
  isMeant: 'not exists (select from explorer_moves)',
  expected: `select encode(tx_hash, 'hex'),
      case when tx.source is not null then tx.id when fee.source is not null then fee.id end,
      case when coalesce(tx.source, fee.source) = 'own' then 'svc'
        when coalesce(tx.source, fee.source) is not null then 'verified-facilitator'
        else 'x402-shaped' end
    from explorer_payments payment join explorer_kinds kind on kind.id = kind
    left join lateral (${knownSigner('tx_source')}) tx on true
    left join lateral (${knownSigner('fee_source')}) fee on true
    where not exists (select from explorer_moves)`,
}

/** `upto` has a ceiling, which is not exceeded; `exact` has none. */
const ceilings: Figures = {
  table: `(select encode(tx_hash, 'hex') as hash, ceiling is not null as has_ceiling,
    coalesce(ceiling >= amount, true) as is_within from explorer_payments) ceilings`,
  columns: 'hash, has_ceiling, is_within',
  expected: `select encode(tx_hash, 'hex'), kind.scheme = 'upto', true
    from explorer_payments payment join explorer_kinds kind on kind.id = payment.kind`,
}

function knownSigner(source: string): string {
  return `select facilitator.id, facilitator.source
    from explorer_addresses
    join explorer_signers signer using (address)
    join explorer_facilitators facilitator on facilitator.id = signer.facilitator
    where explorer_addresses.id = payment.${source} and signer.network = kind.network
      and (facilitator.source = 'own' or facilitator.verified)`
}

/** SQL: names the payments `counted` for the rest of a statement. */
export const withCounted = `with counted as materialized (${counted})`

/**
 * Counts every figure of the explorer again, from its payments alone, and returns every row that differs: those that
 * are missing, and those that are there instead; also payments whose ceiling contradicts their scheme. Nothing of the writer's code takes part. Payments that retention has
 * dropped cannot be counted again.
 */
export async function recount(db: Db): Promise<readonly string[]> {
  const differences = [...figures, attribution, ceilings].map(
    ({ table, columns: names, expected, isMeant = 'true' }) => {
      const actual = `select ${names} from ${table} where ${isMeant}`
      const without = (a: string, b: string) =>
        `select * from (${a}) a except all select * from (${b}) b`
      return `select '${table.match(/\w+$/)?.[0]}' as table, side, content::text from (
        (select 'missing' as side, row_to_json(it) as content from (${without(expected, actual)}) it)
        union all
        (select 'wrong', row_to_json(it) from (${without(actual, expected)}) it)
      ) differences`
    },
  )
  const { rows } = await sql<{ table: string; side: string; content: string }>`
    ${sql.raw(withCounted)} ${sql.raw(differences.join(' union all '))}`.execute(db)
  return rows.map(({ table, side, content }) => `${table}: ${side} ${content}`)
}
