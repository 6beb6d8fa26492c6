import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.ts'

/** One replica's question about one client; see the function `take_rate` of the schema. */
export interface RateAsk {
  readonly client: string
  /** As answered before; the current one when absent. */
  readonly minute?: string | undefined
  readonly allowance: number
  readonly used: number
  readonly waiting: number
}

export interface RateAnswer {
  readonly minute: string
  readonly msLeft: number
  readonly admitted: number
  readonly allowance: number
  readonly used: number
}

export interface RateLimit {
  readonly perMinute: number
  /** What all replicas together may let pass without asking. */
  readonly slack: number
}

/** The requests that clients have made in the current minute, counted for all replicas. */
export interface RateWindowRepository {
  /**
   * Asks for several clients, each named once, in one statement; answers in their order. Once a
   * minute it also takes away the clients that have not been there for minutes.
   */
  take(asks: readonly RateAsk[], limit: RateLimit): Promise<readonly RateAnswer[]>
}

export function rateWindowRepository(db: Kysely<Database>): RateWindowRepository {
  let tidied: string | undefined
  return {
    take: async (asks, limit) => {
      const answers = await take(db, asks, limit)
      const minute = answers[0]?.minute
      if (minute !== tidied) {
        tidied = minute
        await forgetOld(db)
      }
      return answers
    },
  }
}

/** In the order of the clients, so that two replicas never wait for each other's rows. */
async function take(
  db: Kysely<Database>,
  asks: readonly RateAsk[],
  { perMinute, slack }: RateLimit,
): Promise<readonly RateAnswer[]> {
  const rows = JSON.stringify(asks.map((ask, place) => ({ ...ask, place })))
  const answers = await sql<RateAnswer & { place: number }>`
    select ask.place, answer.minute::text as minute, answer.ms_left as "msLeft",
      answer.admitted, answer.allowance, answer.used
    from (
      select * from json_to_recordset(${rows}::json) as rows
        (place integer, client text, minute timestamptz, allowance integer, used integer, waiting integer)
      order by client
    ) ask
    cross join lateral take_rate(ask.client, ask.minute, ask.allowance, ask.used, ask.waiting,
      ${perMinute}::integer, ${slack}::integer) answer`.execute(db)
  return answers.rows.sort((a, b) => a.place - b.place).map(({ place: _, ...answer }) => answer)
}

/** Leaves alone the rows that somebody is counting in. */
async function forgetOld(db: Kysely<Database>): Promise<void> {
  await sql`delete from rate_windows where client in (
    select client from rate_windows where minute < clock_timestamp() - interval '2 minutes'
    for update skip locked)`.execute(db)
}
