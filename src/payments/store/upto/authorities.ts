import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

/** The settlement authority of one sponsor on one network. */
export interface StoredAuthority {
  readonly network: NetworkId
  readonly sponsor: string
  /** `G...`, derived from the sponsor's seed. */
  readonly account: string
}

/** Stores authorities, whether the ledger has them or not: known ones stay as they are. */
export async function putAuthorities(
  db: Db,
  authorities: readonly StoredAuthority[],
): Promise<void> {
  if (authorities.length === 0) return
  await db
    .insertInto('upto_authorities')
    .values([...authorities])
    .onConflict((conflict) => conflict.columns(['network', 'account']).doNothing())
    .execute()
}

/** Every authority of a network, of all sponsors that ever used this store. */
export const listAuthorities = (db: Db, network: NetworkId): Promise<readonly StoredAuthority[]> =>
  db
    .selectFrom('upto_authorities')
    .select(['network', 'sponsor', 'account'])
    .where('network', '=', network)
    .execute()
