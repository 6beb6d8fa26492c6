import { type Selectable, sql, type Transaction } from 'kysely'
import type { SettlementKey } from '../../payments/store/settlements/settlement.ts'
import type { Database, Db } from '../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../platform/database/sql-time.ts'
import type { CatalogTables } from './tables.ts'

/** The declaration of a settled payment that no catalog process has recorded yet. */
export interface WaitingDeclaration {
  readonly settlementId: bigint
  readonly key: SettlementKey
  /** The payee of the payment; muxed perhaps. */
  readonly payTo: string
  /** The token contract that it was paid in, `C...`. */
  readonly asset: string
  /** 64 hex digits. */
  readonly transaction: string
  readonly settledAt: Date
  /** JSON text of `RawDeclaration` (src/payments/protocol/declaration.ts). */
  readonly body: string
  /** How often a process began to record it, this time included. */
  readonly tries: number
}

/**
 * Hands over what the trigger of migration 0015 could not, and deletes what no settlement needs any more. Returns how
 * many it handed over.
 */
export async function handOverLeft(db: Db): Promise<number> {
  const { rows } = await sql<{ isHandedOver: boolean }>`
    with ended as (
      select declared.settlement_id from catalog_declarations declared
        join settlements on settlements.id = declared.settlement_id
      where settlements.state in ('succeeded', 'failed', 'expired')
      for update of declared skip locked
    ), removed as (
      delete from catalog_declarations declared using ended
      where declared.settlement_id = ended.settlement_id
      returning declared.settlement_id, declared.body
    ), handed_over as (
      insert into catalog_outbox (settlement_id, network, payer, nonce, pay_to, scheme, asset, amount,
        transaction, settled_at, body, due_at)
      select id, network, payer, nonce, pay_to, scheme, asset, amount,
        coalesce(response ->> 'transaction', tx_hash), finished_at, removed.body, ${databaseNow}
      from removed join settlements on settlements.id = removed.settlement_id
      where settlements.state = 'succeeded'
      on conflict (settlement_id) do nothing
    )
    select state = 'succeeded' as "isHandedOver" from removed
      join settlements on settlements.id = removed.settlement_id`.execute(db)
  return rows.filter(({ isHandedOver }) => isHandedOver).length
}

/**
 * Takes declarations that are due, most overdue first; no other process takes them for `forMs`. Concurrent callers
 * get different ones. They stay in the outbox until `removeDeclaration`, so a process that dies loses none.
 */
export async function takeDueDeclarations(
  db: Db,
  { limit, forMs }: { readonly limit: number; readonly forMs: number },
): Promise<readonly WaitingDeclaration[]> {
  const rows = await db
    .with('due', (cte) =>
      cte
        .selectFrom('catalog_outbox')
        .select('settlement_id')
        .where('due_at', '<=', databaseNow)
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('catalog_outbox')
    .from('due')
    .set((eb) => ({ due_at: databaseTimeIn(forMs), tries: eb('catalog_outbox.tries', '+', 1) }))
    .whereRef('catalog_outbox.settlement_id', '=', 'due.settlement_id')
    .returningAll('catalog_outbox')
    .execute()
  return rows.map(toWaiting).sort((a, b) => (a.settlementId < b.settlementId ? -1 : 1))
}

const toWaiting = (row: Selectable<CatalogTables['catalog_outbox']>): WaitingDeclaration => ({
  settlementId: row.settlement_id,
  key: { network: row.network, payer: row.payer, nonce: row.nonce },
  payTo: row.pay_to,
  asset: row.asset,
  transaction: row.transaction,
  settledAt: row.settled_at,
  body: row.body,
  tries: row.tries,
})

/**
 * Removes a declaration in the transaction that records it. False when another process has recorded it: a second
 * caller waits for the first one's transaction.
 */
export async function removeDeclaration(
  transaction: Transaction<Database>,
  settlementId: bigint,
): Promise<boolean> {
  const removed = await transaction
    .deleteFrom('catalog_outbox')
    .where('settlement_id', '=', settlementId)
    .returning('settlement_id')
    .executeTakeFirst()
  return removed !== undefined
}

/** Makes a declaration due `ms` milliseconds from now; 0 hands it back to every process. */
export async function postponeDeclaration(db: Db, settlementId: bigint, ms: number): Promise<void> {
  await db
    .updateTable('catalog_outbox')
    .set({ due_at: databaseTimeIn(ms) })
    .where('settlement_id', '=', settlementId)
    .execute()
}

/**
 * Listings that a payment was recorded for: of the settlement itself, after a process died between two answers of
 * the database, or of another settlement with the same transaction.
 */
export async function findEarlierOutcomes(
  transaction: Transaction<Database>,
  { settlementId, key, transaction: hash }: WaitingDeclaration,
): Promise<readonly { readonly settlementId: bigint; readonly listingId: string | null }[]> {
  const rows = await transaction
    .selectFrom('catalog_outcomes')
    .select(['settlement_id as settlementId', 'listing_id as listingId'])
    .where((eb) =>
      eb.or([
        eb('settlement_id', '=', settlementId),
        eb.and([eb('transaction', '=', hash), eb('network', '=', key.network)]),
      ]),
    )
    .execute()
  return rows
}
