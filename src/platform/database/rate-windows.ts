import { sql } from 'kysely'
import type { QuotaAnswer, QuotaRequest, RateLimit, RateWindows } from '../core/rate-windows.ts'
import type { Db } from './schema.ts'

/** The shared counts in Postgres. The first call in each minute also deletes clients idle for two minutes. */
export function rateWindows(db: Db): RateWindows {
  let cleanedIn: string | undefined
  return {
    take: async (requests, limit) => {
      const answers = await take(db, requests, limit)
      const minute = answers[0]?.minute
      if (minute !== cleanedIn) {
        cleanedIn = minute
        await deleteIdleClients(db)
      }
      return answers
    },
  }
}

/** See `take_rate` of the schema. Sorted by client, so that two replicas cannot deadlock. */
async function take(
  db: Db,
  requests: readonly QuotaRequest[],
  { perMinute, slack }: RateLimit,
): Promise<readonly QuotaAnswer[]> {
  const rows = JSON.stringify(requests.map((request, place) => ({ ...request, place })))
  const answers = await sql<QuotaAnswer & { place: number }>`
    select request.place, answer.minute::text as minute, answer.ms_left as "msLeft",
      answer.admitted, answer.allowance, answer.used
    from (
      select * from json_to_recordset(${rows}::json) as rows
        (place integer, client text, minute timestamptz, allowance integer, used integer, waiting integer)
      order by client
    ) request
    cross join lateral take_rate(request.client, request.minute, request.allowance,
      request.used, request.waiting, ${perMinute}::integer, ${slack}::integer) answer`.execute(db)
  return answers.rows.sort((a, b) => a.place - b.place).map(({ place: _, ...answer }) => answer)
}

/** Skips rows that another replica has locked. */
async function deleteIdleClients(db: Db): Promise<void> {
  await sql`delete from rate_windows where client in (
    select client from rate_windows where minute < clock_timestamp() - interval '2 minutes'
    for update skip locked)`.execute(db)
}
