import { sql } from 'kysely'
import { hourOf } from '../../../src/explorer/store/ingest/position.ts'
import { windowHours } from '../../../src/explorer/store/tables.ts'
import { networkIds } from '../../../src/platform/core/caip2.ts'
import type { Db } from '../../../src/platform/database/schema.ts'
import { figures, withCounted } from '../../../test/support/explorer/recount.ts'
import { CHANNELS, facilitators, type Population } from './population.ts'

const DAY = 86_400
export const DAYS = 90
const ASSETS = 2

/**
 * Writes payments of 90 days, evenly in time, of 40 kinds on two networks; sellers and buyers follow a Zipf law of
 * exponent 1. Figures come from the SQL of the recount. Ends with `vacuum analyze`, as autovacuum would in time.
 *
 * @param nowSeconds when the last payment is made
 */
export async function fillPayments(
  db: Db,
  population: Population,
  nowSeconds: number,
): Promise<void> {
  await sql`set statement_timeout = 0`.execute(db)
  await sql`set work_mem = '256MB'`.execute(db)
  await sql`select setseed(0.42)`.execute(db)
  await insertAddresses(db, population)
  await insertKinds(db, population)
  await insertSigners(db, population)
  await insertPayments(db, population, nowSeconds)
  await fillFigures(db, nowSeconds)
  await sql`vacuum analyze`.execute(db)
  // What was filled is written now, and not while reads are measured.
  await sql`checkpoint`.execute(db)
}

/** Ids from 1 on: sellers, buyers, channels, sponsors. */
async function insertAddresses(db: Db, population: Population): Promise<void> {
  const { sellers, buyers } = population
  const parts = [
    [sellers, population.seller],
    [buyers, population.buyer],
    [facilitators.length * CHANNELS, population.channel],
    [facilitators.length, population.sponsor],
  ] as const
  for (const [count, addressOf] of parts) {
    const addresses = Array.from({ length: count }, (_, at) => addressOf(at))
    await sql`insert into explorer_addresses (address)
      select address from unnest(${addresses}::text[]) with ordinality given (address, place)
      order by place`.execute(db)
  }
}

/** Kinds 1 to 40: the network changes fastest, then asset, scheme and facilitator. */
async function insertKinds(db: Db, population: Population): Promise<void> {
  await sql`insert into explorer_epochs (network, started_at)
    select network, now() from unnest(${[...networkIds]}::text[]) network`.execute(db)
  const assets = Array.from({ length: ASSETS }, (_, at) => population.asset(at))
  await sql`insert into explorer_assets (network, contract, code, issuer, decimals)
    select network, contract, 'USDC', ${population.sponsor(0)}, 7
    from unnest(${assets}::text[]) with ordinality assets (contract, place),
      unnest(${[...networkIds]}::text[]) with ordinality networks (network, n) order by place, n`.execute(
    db,
  )
  await sql`insert into explorer_facilitators (id, source, verified, display_name)
    select id, case id when 'own' then 'own' else 'announced' end, true, initcap(id)
    from unnest(${facilitators.filter((id) => id !== null)}::text[]) id`.execute(db)
  await sql`insert into explorer_kinds (network, epoch, scheme, confidence, facilitator, asset)
    select asset.network, epoch.id, scheme,
      case when facilitator is null then 'x402-shaped' when facilitator = 'own' then 'svc'
        else 'verified-facilitator' end, facilitator, asset.id
    from unnest(${[...facilitators]}::text[]) with ordinality facilitators (facilitator, f),
      unnest(array['exact', 'upto']) with ordinality schemes (scheme, s),
      explorer_assets asset join explorer_epochs epoch using (network)
    order by f, s, asset.id`.execute(db)
}

async function insertSigners(db: Db, population: Population): Promise<void> {
  const rows = facilitators.flatMap((facilitator, at) =>
    facilitator === null
      ? []
      : Array.from({ length: CHANNELS }, (_, place) =>
          population.channel(at * CHANNELS + place),
        ).flatMap((address) => networkIds.map((network) => ({ network, address, facilitator }))),
  )
  await db.insertInto('explorer_signers').values(rows).execute()
  await db.deleteFrom('explorer_moves').execute()
}

/** A month at a time, into tables without indexes: those are built when the table is attached. */
async function insertPayments(
  db: Db,
  { payments: rows, sellers, buyers }: Population,
  nowSeconds: number,
): Promise<void> {
  const from = nowSeconds - DAYS * DAY
  const monthOf = (at: number) => new Date(at * 1_000).toISOString().slice(0, 7)
  const months = new Set<string>()
  for (let day = 0; day <= DAYS; day += 1) months.add(monthOf(from + day * DAY))
  const tables = [...months].map((month) => ({
    table: `explorer_payments_${month.replace('-', '_')}`,
    start: Date.parse(`${month}-01`) / 1_000,
  }))
  const ends = tables.map(({ start }) => {
    const date = new Date(start * 1_000)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1_000
  })
  const step = (DAYS * DAY) / rows
  for (const [at, { table, start }] of tables.entries()) {
    const end = ends[at] ?? 0
    await sql`create table ${sql.table(table)} (like explorer_payments)`.execute(db)
    const first = Math.max(0, Math.ceil((start - from) / step))
    const last = Math.min(rows, Math.ceil((end - from) / step)) - 1
    process.stderr.write(`${table}: ${last - first + 1} rows\n`)
    await sql`insert into ${sql.table(table)}
      select (floor(${from}::float8 + i * ${step}::float8)::bigint << 32) | hash_start, hash, 0,
        1 + facilitator * 8 + scheme * 4 + asset * 2 + network,
        seller, case when random() < 0.002 then seller else ${sellers}::integer + buyer end,
        (1000000 + i * ${step}::float8 / 5)::integer, amount,
        case scheme when 1 then amount * 2 end,
        ${sellers + buyers}::integer + facilitator * ${CHANNELS}::integer + channel,
        case when facilitator < 3 then ${sellers + buyers + facilitators.length * CHANNELS}::integer + 1 + facilitator end,
        100000 + floor(random() * 1000), 2000000, null, null
      from (
        select i, hash, ('x' || substr(encode(hash, 'hex'), 1, 8))::bit(32)::bigint as hash_start, seller,
          (seller % 5 > 2)::integer as network, (seller % 7 = 0)::integer as asset,
          (seller % 11 = 0)::integer as scheme, buyer, channel, amount,
          case when random() < 0.8 then seller % 5 else floor(random() * 5)::integer end as facilitator
        from (
          select i, sha256(int8send(i)) as hash,
            least(${sellers}::integer, floor(exp(random() * ln(${sellers}::float8 + 1)))::integer) as seller,
            least(${buyers}::integer, floor(exp(random() * ln(${buyers}::float8 + 1)))::integer) as buyer,
            1 + floor(random() * ${CHANNELS}::integer)::integer as channel,
            floor(exp(random() * 14))::numeric as amount
          from generate_series(${first}::bigint, ${last}::bigint) i offset 0
        ) drawn offset 0
      ) payment`.execute(db)
    const bounds = [start, end].map((second) => sql.lit((BigInt(second) << 32n).toString()))
    await sql`alter table explorer_payments attach partition ${sql.table(table)}
      for values from (${bounds[0]}) to (${bounds[1]})`.execute(db)
  }
}

async function fillFigures(db: Db, nowSeconds: number): Promise<void> {
  const [day, week, month] = Object.values(windowHours).map((hours) => hourOf(nowSeconds) - hours)
  await sql`insert into explorer_windows (from_24h, from_7d, from_30d)
    values (${day}, ${week}, ${month})`.execute(db)
  for (const { table, columns, expected } of figures) {
    process.stderr.write(`${table}\n`)
    if (table !== 'explorer_kinds') {
      await sql.raw(`insert into ${table} (${columns}) ${withCounted} ${expected}`).execute(db)
      continue
    }
    const counters = columns.replace('id, ', '')
    await sql
      .raw(`${withCounted} update explorer_kinds kind
        set ${counters
          .split(', ')
          .map((name) => `${name} = given.${name}`)
          .join(', ')}
        from (${expected}) given where given.kind = kind.id`)
      .execute(db)
  }
}
