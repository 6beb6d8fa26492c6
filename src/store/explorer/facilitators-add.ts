/** How facilitators come into the registry, and leave it. */
import { sql } from 'kysely'
import { type DbTransaction, inTransaction } from '../in-transaction.ts'
import type { Db } from '../schema.ts'
import { databaseNow } from '../sql-time.ts'
import { OWN_FACILITATOR } from './facilitators.ts'
import { lockRegistry } from './facilitators-lock.ts'
import type { FacilitatorSource } from './tables.ts'

/** A facilitator's address, see `readBaseUrl` of the explorer. */
export interface NewFacilitator {
  readonly baseUrl: string
  /** Its id, if no other facilitator has that. */
  readonly host: string
}

/**
 * Makes the configured facilitators those of the configuration: adds new ones, takes over an announced one with the same
 * URL under its id, and makes one that is configured no longer an announced one. Returns whether anything changed.
 */
export const syncConfigured = (db: Db, configured: readonly NewFacilitator[]): Promise<boolean> =>
  inTransaction(db, async (transaction) => {
    await lockRegistry(transaction)
    const urls = configured.map(({ baseUrl }) => baseUrl)
    const demoted = await transaction
      .updateTable('explorer_facilitators')
      .set({ source: 'announced' })
      .where('source', '=', 'configured')
      .$if(urls.length > 0, (query) => query.where('base_url', 'not in', urls))
      .returning('id')
      .execute()
    let hasChanged = demoted.length > 0
    for (const facilitator of configured) {
      const row = await findByUrl(transaction, facilitator.baseUrl)
      if (row?.source === 'configured') continue
      hasChanged = true
      if (!row) await insert(transaction, facilitator, 'configured')
      // Due at once: it may now take signers from announced ones.
      else {
        await transaction
          .updateTable('explorer_facilitators')
          .set({ source: 'configured', due_at: databaseNow })
          .where('id', '=', row.id)
          .execute()
      }
    }
    return hasChanged
  })

export interface AnnouncedLimits {
  readonly inTotal: number
  /** Of one domain: whoever has one must not fill the registry with its hosts and paths. */
  readonly perDomain: number
  readonly domainOf: (host: string) => string
}

interface AddedFacilitator {
  readonly id: string
  /** Of the row, which may have been configured before. */
  readonly source: FacilitatorSource
}

/** A verified facilitator that was seen within this time keeps its place. */
const KEPT_FOR = sql`interval '1 day'`

/**
 * Adds a facilitator that somebody announced, and returns its row; the one with the same URL if there is one.
 * When there are as many as may be, the new one gets the place of one that was never verified, or else of the one that
 * was not seen for longest; `full` when all were seen within a day.
 */
export const addAnnounced = (
  db: Db,
  facilitator: NewFacilitator,
  { inTotal, perDomain, domainOf }: AnnouncedLimits,
): Promise<AddedFacilitator | 'full'> =>
  inTransaction(db, async (transaction) => {
    await lockRegistry(transaction)
    const known = await findByUrl(transaction, facilitator.baseUrl)
    if (known) return known
    const announced = await transaction
      .selectFrom('explorer_facilitators')
      .select('base_url')
      .where('source', '=', 'announced')
      .execute()
    const domain = domainOf(facilitator.host)
    const ofDomain = announced.filter(({ base_url }) => domainOf(hostOf(base_url)) === domain)
    if (ofDomain.length >= perDomain) return 'full'
    if (announced.length >= inTotal && !(await deleteUnseen(transaction))) return 'full'
    return { id: await insert(transaction, facilitator, 'announced'), source: 'announced' }
  })

const hostOf = (baseUrl: string | null): string =>
  URL.parse(baseUrl ?? '')?.hostname.replace(/^\[|\]$/g, '') ?? ''

async function deleteUnseen(transaction: DbTransaction): Promise<boolean> {
  const { rows } = await sql`delete from explorer_facilitators where id = (
      select id from explorer_facilitators
      where source = 'announced' and (not verified or last_seen_at < ${databaseNow} - ${KEPT_FOR})
      order by verified, last_seen_at nulls first, created_at, id limit 1)
    returning id`.execute(transaction)
  return rows.length > 0
}

const findByUrl = (transaction: DbTransaction, baseUrl: string) =>
  transaction
    .selectFrom('explorer_facilitators')
    .select(['id', 'source'])
    .where('base_url', '=', baseUrl)
    .executeTakeFirst()

/** Its id is the host, or the host and the first number from 2 on that makes it unique. */
async function insert(
  transaction: DbTransaction,
  { baseUrl, host }: NewFacilitator,
  source: 'configured' | 'announced',
): Promise<string> {
  const taken = await transaction.selectFrom('explorer_facilitators').select('id').execute()
  const ids = new Set([OWN_FACILITATOR, ...taken.map(({ id }) => id)])
  let id = host
  for (let number = 2; ids.has(id); number++) id = `${host}-${number}`
  await transaction
    .insertInto('explorer_facilitators')
    .values({ id, base_url: baseUrl, display_name: host, source })
    .execute()
  return id
}
