/**
 * Checks of listings' origins, which catalog processes share: one takes a listing whose check is due, under a lease,
 * and what it finds applies only while the lease is its own and the listing has the version that it looked at.
 */
import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { inTransaction } from '../../platform/database/in-transaction.ts'
import type { Database, Db } from '../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../platform/database/sql-time.ts'
import { type LockedListing, lockListing } from './listings.ts'
import type { ClaimOfListing } from './listings-claims.ts'
import type { ListingKind, ListingState } from './tables.ts'

/** A listing whose origin this process asks. */
export interface TakenCheck {
  readonly id: string
  /** The token of this lease, which no other lease has. */
  readonly token: string
  readonly network: NetworkId
  readonly itemKey: string
  readonly kind: ListingKind
  readonly owner: string
  readonly state: ListingState
  readonly version: number
  readonly tries: number
  /** Whether a settlement brought it forward: the next try at an origin that could not be reached is due later. */
  readonly isEarly: boolean
  /** Whether an answer since the last one that confirmed it quarantines it when it is seen again. */
  readonly hasRefused: boolean
  /** `ListingContent` of the catalog. */
  readonly content: unknown
  /** The path of the last payment for it; null where it fits no template, or the origin was asked since. */
  readonly paidPath: string | null
  /** Payments for it that its origin has not confirmed, the latest first. */
  readonly claims: readonly ClaimOfListing[]
}

/**
 * While a lease lasts, the check is due this long after its end. A settlement that asks for another check meanwhile
 * makes it due within a minute (`requestCheck`): by that change the end of the check notices the request.
 */
const DUE_AFTER_LEASE = sql`interval '90 seconds'`

/**
 * Checks of one registered domain that all processes make at a time. A server that never answers holds each for seconds, and hosts of
 * one domain cost nothing: so the others always find a place.
 */
const OF_DOMAIN_AT_ONCE = 2

/**
 * Takes a check that is due, of a host that no process asks at the moment. The domains take turns, so that one with many slow hosts or many
 * payments costs the others one check a round; on a domain its owners do, so that listings that strangers pay themselves for do
 * not keep the domain's own from their turn; of one owner the most overdue comes first. A domain that was not asked yet comes
 * before all others.
 */
export async function takeDueCheck(db: Db, leaseMs: number): Promise<TakenCheck | undefined> {
  const token = randomUUID()
  const isDue = (table: string) => sql`${sql.ref(`${table}.check_due_at`)} <= ${databaseNow}
    and (${sql.ref(`${table}.check_lease_until`)} is null or ${sql.ref(`${table}.check_lease_until`)} <= ${databaseNow})`
  const { rows } = await sql<TakenCheck>`with busy as (
      select host, domain from listings where check_lease_until > ${databaseNow}),
    candidates as (
      select distinct on (due.host) due.id, due.check_due_at, of_domain.taken_at as domain_turn,
        of_owner.taken_at as owner_turn
      from listings due
        left join check_turns of_domain on (of_domain.domain, of_domain.owner) = (due.domain, '')
        left join check_turns of_owner on (of_owner.domain, of_owner.owner) = (due.domain, due.owner)
      where ${isDue('due')}
        and not exists (select from busy where busy.host = due.host)
        and (select count(*) from busy where busy.domain = due.domain) < ${OF_DOMAIN_AT_ONCE}
      order by due.host, of_owner.taken_at nulls first, due.check_due_at, due.id),
    free as (
      select listings.id, listings.domain, listings.owner, ${databaseTimeIn(leaseMs)} as lease_until
      from listings join candidates on candidates.id = listings.id where ${isDue('listings')}
      order by candidates.domain_turn nulls first, candidates.owner_turn nulls first, candidates.check_due_at
      limit 1 for update of listings skip locked),
    turns as (
      insert into check_turns (domain, owner, taken_at)
        select domain, unnest(array['', owner]), ${databaseNow} from free order by 1, 2
        on conflict (domain, owner) do update set taken_at = excluded.taken_at)
    update listings set check_owner = ${token}, check_lease_until = free.lease_until,
      check_due_at = free.lease_until + ${DUE_AFTER_LEASE}
    from free where listings.id = free.id
    returning listings.id, ${token}::text as token, network, item_key as "itemKey", kind, listings.owner, state,
      version, check_tries as tries, check_has_refused as "hasRefused", content, paid_path as "paidPath",
      check_tries > 0 and coalesce(check_retry_at > ${databaseNow}, false) as "isEarly", (
        select coalesce(json_agg(json_build_object('payer', payer, 'payTo', pay_to, 'transaction', transaction,
          'tries', tries, 'isDue', coalesce(due_at <= ${databaseNow}, false)) order by settled_at desc, payer), '[]')
        from listing_claims where listing_id = listings.id) as claims`.execute(db)
  return rows[0]
}

/** A domain or an owner that was not asked for a day is like one that was never asked. */
export async function forgetOldTurns(db: Db): Promise<void> {
  await db
    .deleteFrom('check_turns')
    .where('taken_at', '<', databaseTimeIn(-24 * 3_600_000))
    .execute()
}

export interface FinishedCheck {
  readonly tries: number
  readonly hasRefused: boolean
  /** Undefined: only when a settlement asks for it. `'retry'`: when the next try was due before this check already. */
  readonly nextInMs: number | 'retry' | undefined
  /** The path of a payment that is deleted, unless a later payment has replaced it. */
  readonly donePath: string | null
}

/**
 * Ends a check and applies what it found. False when its lease has ended, or the listing has changed since: then
 * nothing is applied, and the origin is asked again.
 */
export const finishCheck = (
  db: Db,
  { id, token, version }: Pick<TakenCheck, 'id' | 'token' | 'version'>,
  { tries, hasRefused, nextInMs, donePath }: FinishedCheck,
  apply: (transaction: Transaction<Database>, listing: LockedListing) => Promise<void>,
): Promise<boolean> =>
  inTransaction(db, async (transaction) => {
    const listing = await lockListing(transaction, id)
    if (!listing || !(await isLeased(transaction, id, token))) return false
    const isCurrent = listing.version === version
    const next = nextCheckAt(nextInMs)
    await transaction
      .updateTable('listings')
      .set({
        check_owner: null,
        check_lease_until: null,
        ...(isCurrent
          ? {
              check_tries: tries,
              check_has_refused: hasRefused,
              paid_path: sql<string | null>`nullif(paid_path, ${donePath}::text)`,
              check_retry_at: next,
              check_due_at: sql<Date | null>`case
                when check_due_at < check_lease_until + ${DUE_AFTER_LEASE} then check_due_at
                else ${next} end`,
            }
          : { check_due_at: databaseNow }),
      })
      .where('id', '=', id)
      .execute()
    if (isCurrent) await apply(transaction, listing)
    return isCurrent
  })

function nextCheckAt(nextInMs: FinishedCheck['nextInMs']) {
  if (nextInMs === undefined) return sql<null>`null::timestamptz`
  return nextInMs === 'retry' ? sql<Date>`check_retry_at` : databaseTimeIn(nextInMs)
}

async function isLeased(
  transaction: Transaction<Database>,
  id: string,
  token: string,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('listings')
    .select('id')
    .where('id', '=', id)
    .where('check_owner', '=', token)
    .where('check_lease_until', '>', databaseNow)
    .executeTakeFirst()
  return row !== undefined
}

/** Gives a check back that was not finished: another process may take it at once. */
export async function releaseCheck(
  db: Db,
  { id, token }: Pick<TakenCheck, 'id' | 'token'>,
): Promise<void> {
  await db
    .updateTable('listings')
    .set({ check_owner: null, check_lease_until: null, check_due_at: databaseNow })
    .where('id', '=', id)
    .where('check_owner', '=', token)
    .execute()
}
