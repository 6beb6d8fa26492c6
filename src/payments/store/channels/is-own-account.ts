import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

/** Whether an address is a channel, the settlement authority or the sponsor of a facilitator that shares the store. */
export async function isOwnAccount(db: Db, network: NetworkId, address: string): Promise<boolean> {
  const { rows } = await sql<{ own: boolean }>`
    select exists (select from channels
        where network = ${network} and (account = ${address} or sponsor = ${address}))
      or exists (select from upto_authorities
        where network = ${network} and (account = ${address} or sponsor = ${address}))
      or exists (select from replica_heartbeats
        where network = ${network} and sponsor = ${address}) as own`.execute(db)
  return rows[0]?.own === true
}
