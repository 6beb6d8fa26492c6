import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'

/** The ledger's facts about an asset, by which prices are compared. */
export interface AssetFact {
  readonly network: NetworkId
  readonly asset: string
  readonly symbol: string | null
  readonly decimals: number | null
}

/** When the ledger was last asked about an asset; milliseconds, null before the first time. */
export async function readAssetFactsTime(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('asset_facts')
    .select(({ fn }) => fn.max('checked_at').as('at'))
    .executeTakeFirst()
  return row?.at?.getTime() ?? null
}

/** The facts of every asset in which a listing is sold. */
export const listAssetFacts = (db: Db): Promise<readonly AssetFact[]> =>
  db
    .selectFrom('asset_facts')
    .select(['network', 'asset', 'symbol', 'decimals'])
    .where('checked_at', 'is not', null)
    .execute()
