import { sql, type Transaction } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { shortText } from '../../../platform/core/text/short-text.ts'
import type { Database, Db } from '../../../platform/database/schema.ts'
import { databaseNow } from '../../../platform/database/sql-time.ts'

/** The pool that manages a sponsor's channels; a sponsor has at most one. */
export interface PoolOwner {
  readonly network: NetworkId
  readonly sponsor: string
  /** The Kubernetes uid of the ChannelPool; never used again. */
  readonly uid: string
  /** `namespace/name`, for messages. */
  readonly name: string
}

export interface OwnedSponsor extends PoolOwner {
  /** Seconds since the pool last managed it. */
  readonly idleSeconds: number
}

/** Three resyncs of an operator by default. */
export const OWNER_ALIVE_SECONDS = 900

/** Both parts of the name of an object in a namespace, and the slash. */
const MAX_NAME_LENGTH = 63 + 1 + 253

/** Whoever runs the database may have written the row. */
const withShortName = <Row extends PoolOwner>(row: Row): Row => ({
  ...row,
  name: shortText(row.name, MAX_NAME_LENGTH),
})

const columns = ['network', 'sponsor', 'uid', 'name'] as const
const idleSeconds = sql<number>`extract(epoch from ${databaseNow} - pools.claimed_at)::double precision`

/**
 * Makes the pool the owner of the sponsor's channels unless another pool is. Returns the owner. A pool with the owner's name replaces it
 * where it is the same pool, deleted or lost and then created again. In another cluster it is another pool: where a second
 * election has written to the store, an owner that was there within `OWNER_ALIVE_SECONDS` stays.
 * @param election of the operator that writes
 */
export async function claimSponsor(
  transaction: Transaction<Database>,
  pool: PoolOwner,
  election: string,
): Promise<OwnedSponsor> {
  await transaction
    .insertInto('pools')
    .values(pool)
    .onConflict((conflict) =>
      conflict
        .columns(['network', 'sponsor'])
        .doUpdateSet({ uid: pool.uid, claimed_at: databaseNow })
        .where('pools.name', '=', pool.name)
        .where(({ or, eb, not, exists, selectFrom }) =>
          or([
            eb('pools.uid', '=', pool.uid),
            eb(idleSeconds, '>', OWNER_ALIVE_SECONDS),
            not(exists(selectFrom('operator_epochs').select('name').where('name', '<>', election))),
          ]),
        ),
    )
    .execute()
  const owner = await transaction
    .selectFrom('pools')
    .select([...columns, idleSeconds.as('idleSeconds')])
    .where('network', '=', pool.network)
    .where('sponsor', '=', pool.sponsor)
    .executeTakeFirstOrThrow()
  // The row that was asked for, whatever the server answers.
  return { ...withShortName(owner), network: pool.network, sponsor: pool.sponsor }
}

/** The pool that manages the sponsor's channels, if an operator does. */
export async function ownerOf(
  db: Db,
  { network, sponsor }: Pick<PoolOwner, 'network' | 'sponsor'>,
): Promise<PoolOwner | undefined> {
  const owner = await db
    .selectFrom('pools')
    .select(columns)
    .where('network', '=', network)
    .where('sponsor', '=', sponsor)
    .executeTakeFirst()
  return owner && { ...withShortName(owner), network, sponsor }
}

/** Every sponsor of a network whose channels an operator manages. */
export const sponsorsInPools = async (db: Db, network: NetworkId): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('pools')
    .select('sponsor')
    .where('network', '=', network)
    .execute()
  return rows.map(({ sponsor }) => sponsor)
}

/** A pool has one, and two during a rotation. */
const MAX_OWNED = 100

/** Every sponsor whose channels the pool owns. */
export async function sponsorsOwnedBy(db: Db, uid: string): Promise<readonly OwnedSponsor[]> {
  const owned = await db
    .selectFrom('pools')
    .select([...columns, idleSeconds.as('idleSeconds')])
    .where('uid', '=', uid)
    .orderBy('network')
    .orderBy('sponsor')
    .limit(MAX_OWNED)
    .execute()
  return owned.slice(0, MAX_OWNED).map((row) => ({ ...withShortName(row), uid }))
}

/** Ends the ownership; another pool may claim the sponsor. */
export async function releaseSponsor(
  transaction: Transaction<Database>,
  { network, sponsor, uid }: PoolOwner,
): Promise<void> {
  await transaction
    .deleteFrom('pools')
    .where('network', '=', network)
    .where('sponsor', '=', sponsor)
    .where('uid', '=', uid)
    .execute()
}
