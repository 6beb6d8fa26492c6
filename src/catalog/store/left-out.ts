/** Which published listings are in no list and no search: a process holds the others in memory, so there is a bound on them. */
import { sql } from 'kysely'
import { inTransaction } from '../../platform/database/in-transaction.ts'
import type { Db } from '../../platform/database/schema.ts'
import { nextRevision } from './write-listing.ts'

export interface ListedBounds {
  /** Bytes of the contents of all listings that are listed. */
  readonly bytes: number
  /** A listing that nothing but its payments stands by leaves after so many days without one. */
  readonly unpaidDays: number
}

/**
 * Decides for every published listing whether it is left out, and why; returns how many changed. A listing of an HTTP resource, or
 * one whose host claims the owner, is asked for regularly and leaves when that fails; of any other one only payments say that it is alive.
 *
 * When the others have more bytes than may be, each payee and each registered domain keeps an equal share: the last to come of whoever
 * has most are left out, those that were paid for once before others. Listings that no origin and no domain confirms share as one
 * domain, since whoever pays names any host. It depends on the store alone, so all processes list the same.
 */
export const refreshLeftOut = (db: Db, bounds: ListedBounds): Promise<number> =>
  inTransaction(db, async (transaction) => {
    const changes = await sql<{ id: string; reason: string | null }>`with known as (
        select listings.id, listings.left_out, bytes, settlements, first_published_at, account,
          case when trust = 'settled' then '' else domain end as domain,
          case when exists (select from hidden_listings where subject in (listings.id::text, account)) then 'hidden'
            when trust = 'settled' and last_settled_at < clock_timestamp() - ${bounds.unpaidDays} * interval '1 day'
              then 'unpaid' end as reason
        from listings left join lateral (
          select pay_to_account as account from listing_options where listing_id = listings.id limit 1) option on true
        where state = 'published'),
      of_account as (
        select *, sum(bytes) over (partition by account order by settlements < 2, first_published_at, id) as taken
        from known where reason is null),
      of_domain as (
        select *, sum(bytes) over (partition by domain order by taken, first_published_at, id) as taken_of_domain
        from of_account),
      placed as (
        select id, sum(bytes) over (order by greatest(taken, taken_of_domain), first_published_at, id) as up_to
        from of_domain),
      wanted as (
        select known.id, known.left_out, coalesce(reason, case when up_to > ${bounds.bytes} then 'full' end) as reason
        from known left join placed using (id)),
      changed as (select id, reason from wanted where left_out is distinct from reason)
    select listings.id, changed.reason from listings join changed using (id)
    order by listings.id for update of listings skip locked`.execute(transaction)
    if (changes.rows.length === 0) return 0
    // After the listings, as every transaction locks them.
    const revision = await nextRevision(transaction)
    await sql`update listings set left_out = changed.reason, revision = ${revision}
      from unnest(${changes.rows.map(({ id }) => id)}::uuid[],
        ${changes.rows.map(({ reason }) => reason)}::text[]) changed (id, reason)
      where listings.id = changed.id`.execute(transaction)
    return changes.rows.length
  })

/** Hides listings, by their ids, or all of payees, by their accounts, until `unhide`. They stay in the store. */
export async function hide(db: Db, subjects: readonly string[]): Promise<void> {
  await sql`insert into hidden_listings (subject) select unnest(${[...subjects]}::text[])
    on conflict do nothing`.execute(db)
}

export async function unhide(db: Db, subjects: readonly string[]): Promise<void> {
  await sql`delete from hidden_listings where subject = any(${[...subjects]}::text[])`.execute(db)
}
