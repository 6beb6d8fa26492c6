import type { Transaction } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { Database, Db } from '../schema.ts'

/** The pool that manages a sponsor's channels; there is one at most. */
export interface PoolOwner {
  readonly network: NetworkId
  readonly sponsor: string
  /** Outlives renaming and never comes back: the resource's uid. */
  readonly uid: string
  /** For people: `namespace/name`. */
  readonly name: string
}

/**
 * Makes the pool the owner unless there is one. Answers whose the channels are then. A pool of the
 * same name succeeds the owner: that is the one which was deleted, or lost, and made again.
 */
export async function claimSponsor(
  held: Transaction<Database>,
  pool: PoolOwner,
): Promise<PoolOwner> {
  await held
    .insertInto('pools')
    .values(pool)
    .onConflict((conflict) =>
      conflict
        .columns(['network', 'sponsor'])
        .doUpdateSet({ uid: pool.uid })
        .where('pools.name', '=', pool.name),
    )
    .execute()
  return held
    .selectFrom('pools')
    .select(['network', 'sponsor', 'uid', 'name'])
    .where('network', '=', pool.network)
    .where('sponsor', '=', pool.sponsor)
    .executeTakeFirstOrThrow()
}

/** Every sponsor whose channels the pool owns. */
export const sponsorsOwnedBy = (db: Db, uid: string): Promise<PoolOwner[]> =>
  db
    .selectFrom('pools')
    .select(['network', 'sponsor', 'uid', 'name'])
    .where('uid', '=', uid)
    .orderBy('network')
    .orderBy('sponsor')
    .execute()

/** Gives the sponsor's channels up; another pool may claim them. */
export async function releaseSponsor(
  held: Transaction<Database>,
  { network, sponsor, uid }: PoolOwner,
): Promise<void> {
  await held
    .deleteFrom('pools')
    .where('network', '=', network)
    .where('sponsor', '=', sponsor)
    .where('uid', '=', uid)
    .execute()
}
