import { sql } from 'kysely'
import { networkIds } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

export interface Roles {
  readonly isSeller: boolean
  readonly isBuyer: boolean
  readonly isAsset: boolean
  /** Id of the one that has the address among its signers. */
  readonly facilitator: string | null
}

/** The observed roles of an address, on any network. */
export async function readRoles(db: Db, address: string): Promise<Roles> {
  const networks = sql`network = any(${networkIds})`
  const id = sql`(select id from explorer_addresses where address = ${address})`
  const { rows } = await sql<Roles>`
    select
      exists (select from explorer_sellers where ${networks} and seller = ${id}) as "isSeller",
      exists (select from explorer_buyers where ${networks} and buyer = ${id}) as "isBuyer",
      exists (select from explorer_assets where ${networks} and contract = ${address}) as "isAsset",
      (select facilitator from explorer_signers where ${networks} and address = ${address}
        order by network limit 1) as facilitator`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a select of single values gave no row')
  return row
}
