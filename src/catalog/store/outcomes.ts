import { sql } from 'kysely'
import type { SettlementKey } from '../../payments/store/settlements/settlement.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Db } from '../../platform/database/schema.ts'
import { storableText } from '../../platform/database/storable-text.ts'
import { countOutcomes } from './outcome-counts.ts'
import type { OutcomeStatus } from './tables.ts'

/** The outcome of a declaration, as the catalog stores it. */
export interface StoredOutcome {
  readonly status: OutcomeStatus
  readonly code: string
  readonly reason?: string | undefined
  readonly listingId?: string | undefined
  /** The listing's current one. */
  readonly version?: number | undefined
  readonly dropped: readonly string[]
}

/** The outcome of the declaration of a settled payment. */
export interface SettlementOutcome extends StoredOutcome {
  readonly settlementId: bigint
  readonly key: SettlementKey
  readonly payTo: string
  /** 64 hex digits. */
  readonly transaction: string
  /** Absent when the declaration names none that can be read. */
  readonly resource?: string | undefined
}

/** No URL that a catalog lists is longer; reasons are sentences. */
const MAX_LENGTH = 2_048

/**
 * Stores the outcome of a settlement's declaration, and counts it for /health. A settlement has one outcome: a
 * second is neither stored nor counted, and false is returned.
 *
 * Call it as the last statement of the transaction that takes the declaration from the outbox: it locks the count
 * of the minute, and transactions that lock it last cannot deadlock.
 *
 * @param writer names this process: each counts in rows of its own
 */
export async function writeOutcome(
  db: Db,
  writer: string,
  { settlementId, key, payTo, transaction, resource, ...outcome }: SettlementOutcome,
): Promise<boolean> {
  const written = await db
    .insertInto('catalog_outcomes')
    .values({
      settlement_id: settlementId,
      ...key,
      pay_to: payTo,
      transaction,
      resource: storableText(resource, MAX_LENGTH) ?? null,
      status: outcome.status,
      code: outcome.code,
      reason: storableText(outcome.reason, MAX_LENGTH) ?? null,
      listing_id: outcome.listingId ?? null,
      version: outcome.version ?? null,
      dropped: [...outcome.dropped],
      at: sql<Date>`clock_timestamp()`,
    })
    .onConflict((conflict) => conflict.column('settlement_id').doNothing())
    .returning('settlement_id')
    .executeTakeFirst()
  if (!written) return false
  await countOutcomes(db, writer, [{ phase: 'settle', status: outcome.status, count: 1 }])
  return true
}

/**
 * Where the declaration of a settlement is: `waiting` until a catalog process has recorded it; `none` when the
 * settlement carried none, or retention deleted the outcome.
 */
export type DeclarationState =
  | { readonly kind: 'recorded'; readonly outcome: StoredOutcome }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'none' }

interface Row {
  place: number
  is_waiting: boolean
  status: OutcomeStatus | null
  code: string
  reason: string | null
  listing_id: string | null
  version: number | null
  dropped: string[]
}

/** The states of the declarations of several settlements, in their order, in one statement. */
export async function readDeclarationStates(
  db: Db,
  keys: readonly SettlementKey[],
): Promise<readonly DeclarationState[]> {
  if (keys.length === 0) return []
  const wanted = keys.map((key: { network: NetworkId }, place) => ({ ...key, place }))
  const { rows } = await sql<Row>`
    select wanted.place, outbox.settlement_id is not null as is_waiting,
      outcome.status, outcome.code, outcome.reason, outcome.listing_id, outcome.version, outcome.dropped
    from json_to_recordset(${JSON.stringify(wanted)}::json)
        as wanted (place integer, network text, payer text, nonce text)
      join settlements using (network, payer, nonce)
      left join catalog_outcomes outcome on outcome.settlement_id = settlements.id
      left join catalog_outbox outbox on outbox.settlement_id = settlements.id`.execute(db)
  const states = new Map(rows.map((row) => [row.place, toState(row)]))
  return keys.map((_, place) => states.get(place) ?? { kind: 'none' })
}

function toState(row: Row): DeclarationState {
  const { status, code, dropped } = row
  if (status === null) return { kind: row.is_waiting ? 'waiting' : 'none' }
  const outcome = {
    status,
    code,
    dropped,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.listing_id !== null && { listingId: row.listing_id }),
    ...(row.version !== null && { version: row.version }),
  }
  return { kind: 'recorded', outcome }
}
