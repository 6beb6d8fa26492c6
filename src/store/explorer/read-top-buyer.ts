import { sql } from 'kysely'
import { type NetworkId, networkIds } from '../../core/caip2.ts'
import type { Db } from '../schema.ts'

export interface TopBuyer {
  readonly buyer: string
  readonly payments: number
}

/** Who paid a seller most often; undefined before its first payment. @param seller id of the address */
export async function readTopBuyer(
  db: Db,
  seller: number,
  network?: NetworkId,
): Promise<TopBuyer | undefined> {
  const { rows } = await sql<{ readonly buyer: string; readonly payments: string }>`
    select address as buyer, payments from (
      select buyer, sum(payments) as payments from explorer_pairs
      where seller = ${seller} and network = any(${network === undefined ? networkIds : [network]})
      group by buyer order by payments desc, buyer limit 1
    ) top join explorer_addresses on id = top.buyer`.execute(db)
  return rows.map(({ buyer, payments }) => ({ buyer, payments: Number(payments) }))[0]
}
