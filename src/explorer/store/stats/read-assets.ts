import { sql } from 'kysely'
import { type NetworkId, networkIds } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import type { AssetFacts } from '../payments/read-payment-details.ts'

export interface KnownAsset extends AssetFacts {
  readonly network: NetworkId
}

/** The asset on each network that has it. */
export async function readAssets(
  db: Db,
  contract: string,
  network?: NetworkId,
): Promise<readonly KnownAsset[]> {
  const { rows } = await sql<KnownAsset>`
    select network, contract, code, issuer, decimals from explorer_assets
    where network = any(${network === undefined ? networkIds : [network]}) and contract = ${contract}
    order by network`.execute(db)
  return rows
}
