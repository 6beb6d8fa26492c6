import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../platform/database/sql-time.ts'

/** A facilitator that this process asks next. */
export interface DueFacilitator {
  readonly id: string
  readonly baseUrl: string
  readonly source: 'configured' | 'announced'
  /** Whether it ever has, as it should. */
  readonly hasAnswered: boolean
}

interface Take {
  /** Takes at most this many. */
  readonly limit: number
  /** No other process takes them for this long. */
  readonly leaseMs: number
}

const shown = sql`facilitator.id, facilitator.base_url as "baseUrl", facilitator.source,
  facilitator.last_seen_at is not null as "hasAnswered"`

/** Takes facilitators whose `/supported` is due, configured ones first, then the most overdue. */
export async function takeDueFacilitators(
  db: Db,
  { limit, leaseMs }: Take,
): Promise<readonly DueFacilitator[]> {
  const { rows } = await sql<DueFacilitator>`with due as (
      select id from explorer_facilitators
      where source <> 'own' and due_at <= ${databaseNow}
        and (lease_until is null or lease_until <= ${databaseNow})
      order by source = 'announced', due_at limit ${limit} for update skip locked)
    update explorer_facilitators facilitator set lease_until = ${databaseTimeIn(leaseMs)}
    from due where facilitator.id = due.id returning ${shown}`.execute(db)
  return rows
}

/** Takes facilitators that have answered and whose catalog is due, in the same order. Its due time is its lease, too. */
export async function takeDueCatalogs(
  db: Db,
  { limit, leaseMs }: Take,
): Promise<readonly DueFacilitator[]> {
  const { rows } = await sql<DueFacilitator>`with due as (
      select id from explorer_facilitators
      where source <> 'own' and last_seen_at is not null and catalog_due_at <= ${databaseNow}
      order by source = 'announced', catalog_due_at limit ${limit} for update skip locked)
    update explorer_facilitators facilitator set catalog_due_at = ${databaseTimeIn(leaseMs)}
    from due where facilitator.id = due.id returning ${shown}`.execute(db)
  return rows
}

/** When a facilitator's catalog is read next. */
export async function postponeCatalog(db: Db, id: string, dueInMs: number): Promise<void> {
  await db
    .updateTable('explorer_facilitators')
    .set({ catalog_due_at: databaseTimeIn(dueInMs) })
    .where('id', '=', id)
    .execute()
}
