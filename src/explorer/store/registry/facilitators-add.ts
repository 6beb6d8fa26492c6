/** How facilitators come into the registry, and leave it. */
import { sql } from 'kysely'
import { type DbTransaction, inTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow } from '../../../platform/database/sql-time.ts'
import type { FacilitatorSource } from '../tables.ts'
import { OWN_FACILITATOR } from './facilitators.ts'
import { lockRegistry } from './facilitators-lock.ts'
import { refreshVerified } from './signers-replace.ts'

/** A facilitator's address, see `readBaseUrl` of the explorer. */
export interface NewFacilitator {
  readonly baseUrl: string
  /** Its id, if no other facilitator has that. */
  readonly host: string
}

/** How long one that is no longer configured keeps its signers without a proof, at most. */
const DEMOTED_FOR = sql`interval '1 hour'`

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
    if (hasChanged) {
      await transaction
        .updateTable('explorer_signers')
        .set({ proven_until: sql<Date>`${databaseNow} + ${DEMOTED_FOR}` })
        .where(
          'facilitator',
          'in',
          demoted.map(({ id }) => id),
        )
        .execute()
      await refreshVerified(transaction)
    }
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

/** An announced facilitator that has a place in the registry. */
export interface TakenPlace {
  readonly id: string
  /** The host of its base URL. */
  readonly host: string
  readonly verified: boolean
  /** Whether it has not answered for a day, or never. */
  readonly isUnseen: boolean
}

/** Whether there is a place for one more, and whose. */
type PlaceChoice = 'free' | 'full' | { readonly replaces: string }

/**
 * @param taken those longest unseen first, then the younger first
 * @param host of the new one
 */
export type ChoosePlace = (taken: readonly TakenPlace[], host: string) => PlaceChoice

interface AddedFacilitator {
  readonly id: string
  /** The source in the row, which may have been configured before. */
  readonly source: FacilitatorSource
}

/** A facilitator that was seen within this time keeps its place, unless its domain has too many. */
const KEPT_FOR = sql`interval '1 day'`

/**
 * Adds a facilitator that somebody announced, and returns its row; the one with the same URL if there is one. `full` when
 * it gets no place.
 */
export const addAnnounced = (
  db: Db,
  facilitator: NewFacilitator,
  choosePlace: ChoosePlace,
): Promise<AddedFacilitator | 'full'> =>
  inTransaction(db, async (transaction) => {
    await lockRegistry(transaction)
    const known = await findByUrl(transaction, facilitator.baseUrl)
    if (known) return known
    const choice = choosePlace(await readPlaces(transaction), facilitator.host)
    if (choice === 'full') return 'full'
    if (choice !== 'free') {
      await transaction
        .deleteFrom('explorer_facilitators')
        .where('id', '=', choice.replaces)
        .execute()
    }
    return { id: await insert(transaction, facilitator, 'announced'), source: 'announced' }
  })

async function readPlaces(transaction: DbTransaction): Promise<readonly TakenPlace[]> {
  const { rows } = await sql<Omit<TakenPlace, 'host'> & { base_url: string | null }>`
    select id, base_url, verified, is_unseen as "isUnseen" from explorer_facilitators,
      lateral (select coalesce(last_seen_at < ${databaseNow} - ${KEPT_FOR}, true) as is_unseen) seen
    where source = 'announced'
    order by is_unseen desc, case when is_unseen then last_seen_at end nulls first, created_at desc, id`.execute(
    transaction,
  )
  return rows.map(({ base_url, ...same }) => ({ ...same, host: hostOf(base_url) }))
}

const hostOf = (baseUrl: string | null): string =>
  URL.parse(baseUrl ?? '')?.hostname.replace(/^\[|\]$/g, '') ?? ''

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
