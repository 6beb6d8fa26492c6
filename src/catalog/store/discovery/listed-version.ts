import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

export interface ListedVersion {
  readonly listingId: string
  readonly version: number
}

/** The listing of a resource on a network, in any state, and its current version. */
export async function findListedVersion(
  db: Db,
  network: NetworkId,
  itemKey: string,
): Promise<ListedVersion | undefined> {
  return await db
    .selectFrom('listings')
    .select(['id as listingId', 'version'])
    .where('network', '=', network)
    .where('item_key', '=', itemKey)
    .executeTakeFirst()
}
