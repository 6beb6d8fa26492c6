import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

/** An account whose key is derived from the seed of a sponsor. */
export type DerivedRole = 'channel' | 'settlement authority'

/** The role of an address for a facilitator that shares the store: a channel or a settlement authority can be no sponsor. */
export async function derivedRoleOf(
  db: Db,
  network: NetworkId,
  address: string,
): Promise<DerivedRole | undefined> {
  const { rows } = await sql<{ role: DerivedRole }>`
    select 'channel' as role from channels where network = ${network} and account = ${address}
    union all
    select 'settlement authority' from upto_authorities
      where network = ${network} and account = ${address}`.execute(db)
  return rows[0]?.role
}
