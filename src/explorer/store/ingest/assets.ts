/** Codes and decimals of observed assets that the payments themselves do not prove. */
import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../platform/database/sql-time.ts'

export interface ObservedAsset {
  readonly id: number
  readonly network: NetworkId
  readonly contract: string
  /** How often in a row the contract did not say all that was asked. */
  readonly failures: number
}

/** Null: the contract does not say. Only a classic asset has an issuer. */
export interface ObservedAssetFacts {
  readonly code: string | null
  readonly issuer: string | null
  readonly decimals: number | null
}

/** Takes assets without code or decimals that are due, most overdue first. The due time is the lease, too. */
export async function takeDueObservedAssets(
  db: Db,
  options: {
    readonly networks: readonly NetworkId[]
    readonly limit: number
    readonly leaseMs: number
  },
): Promise<readonly ObservedAsset[]> {
  const { networks, limit, leaseMs } = options
  if (networks.length === 0) return []
  const { rows } = await sql<ObservedAsset>`with due as (
      select id from explorer_assets
      where (code is null or decimals is null) and due_at <= ${databaseNow}
        and network in (${sql.join(networks)})
      order by due_at limit ${limit} for update skip locked)
    update explorer_assets asset set due_at = ${databaseTimeIn(leaseMs)} from due
    where asset.id = due.id returning asset.id, asset.network, asset.contract, asset.failures`.execute(
    db,
  )
  return rows
}

/**
 * Writes what the ledger says, where payments have not proven it; what is still unknown is read again at the due time.
 * Returns whether anything was new.
 */
export async function saveObservedAsset(
  db: Db,
  id: number,
  { code, issuer, decimals }: ObservedAssetFacts,
  { dueInMs, failures = 0 }: { readonly dueInMs: number; readonly failures?: number },
): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`update explorer_assets asset
    set code = coalesce(asset.code, ${code}::text),
      issuer = case when asset.code is null then ${issuer}::text else asset.issuer end,
      decimals = coalesce(asset.decimals, ${decimals}::smallint),
      checked_at = ${databaseNow}, due_at = ${databaseTimeIn(dueInMs)}, failures = ${failures}
    from explorer_assets before where before.id = asset.id and asset.id = ${id}
    returning (before.code, before.decimals) is distinct from (asset.code, asset.decimals) as changed`.execute(
    db,
  )
  return rows[0]?.changed ?? false
}

/** Gives an asset back that could not be read, for another try later. */
export async function postponeObservedAsset(
  db: Db,
  id: number,
  { ms, failures }: { readonly ms: number; readonly failures: number },
): Promise<void> {
  await db
    .updateTable('explorer_assets')
    .set({ due_at: databaseTimeIn(ms), failures })
    .where('id', '=', id)
    .execute()
}
