import { sql } from 'kysely'
import type { Stroops } from '../../../../platform/core/amounts/stroops.ts'
import { type Db, type FinalState, finalStates } from '../../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../../platform/database/sql-time.ts'
import { noLease } from '../claim/release.ts'
import { findSettlement } from '../find.ts'
import {
  isSettlement,
  type Settlement,
  type SettlementKey,
  type StoredResponse,
  toSettlement,
} from '../settlement.ts'

export interface FinishRequest {
  readonly key: SettlementKey
  readonly attempt: number
  /** Of the recorded envelope that has this outcome. @default whichever is recorded for the attempt */
  readonly txHash?: string
  readonly state: FinalState
  /** The answer to every repeat from now on. */
  readonly response: StoredResponse
  /** The ledger that holds the transaction; required for `succeeded`. */
  readonly ledger?: number | undefined
  readonly feeCharged?: Stroops | undefined
  /** Why it failed on the ledger; only with `failed`. */
  readonly failureCode?: string | undefined
  /** `keep`: the ledger consumed the recorded number; `unknown`: the next use reads it from the ledger. */
  readonly sequence: 'keep' | 'unknown'
}

export interface FinishOutcome {
  /** As stored: the answer to the request. */
  readonly settlement: Settlement
  /** False when it was final already: the stored outcome stays. */
  readonly isNew: boolean
}

/**
 * The store has no record of the envelope, although this process has recorded it: a standby that lacked the last
 * commits has become the primary, or a backup was restored.
 */
export class RecordLost extends Error {
  override readonly name = 'RecordLost'
}

/**
 * Finishes a recorded settlement: writes the final state and response and frees the channel, in one statement.
 * Any process that knows the outcome may call it; the first call decides, and a final row never changes.
 * Throws `RecordLost` when the settlement has no recorded envelope of this attempt, or another one.
 */
export async function finishSettlement(db: Db, request: FinishRequest): Promise<FinishOutcome> {
  const finished = await finishNow(db, request)
  if (finished) return { settlement: finished, isNew: true }
  const settlement = await findSettlement(db, request.key)
  if (settlement && isFinal(settlement, request)) return { settlement, isNew: false }
  const { network, payer, nonce } = request.key
  throw new RecordLost(
    `cannot finish settlement ${network} ${payer} ${nonce} attempt ${request.attempt}: ` +
      `it is ${settlement ? `${settlement.state}, attempt ${settlement.attempt}` : 'not stored'}`,
  )
}

/**
 * Like `finishSettlement`, but only while the record is younger than `recordedWithinMs` by the database's
 * clock; undefined when it is older and not finished, or another envelope is recorded. For an outcome that is true only if no other replica
 * can have sent the envelope yet.
 */
export async function finishIfRecent(
  db: Db,
  request: FinishRequest,
  recordedWithinMs: number,
): Promise<FinishOutcome | undefined> {
  const finished = await finishNow(db, request, recordedWithinMs)
  if (finished) return { settlement: finished, isNew: true }
  const settlement = await findSettlement(db, request.key)
  return settlement && isFinal(settlement, request) ? { settlement, isNew: false } : undefined
}

/** Whether it has ended by the envelope of this request: another one may be of another request, which it must not answer. */
const isFinal = ({ state, recorded }: Settlement, { txHash }: FinishRequest): boolean =>
  finalStates.some((final) => final === state) &&
  (txHash === undefined || recorded?.txHash === txHash)

async function finishNow(
  db: Db,
  {
    key,
    attempt,
    txHash,
    state,
    response,
    ledger,
    feeCharged,
    failureCode,
    sequence,
  }: FinishRequest,
  recordedWithinMs?: number,
): Promise<Settlement | undefined> {
  const row = await db
    .with('finished', (cte) =>
      cte
        .updateTable('settlements')
        .set({
          state,
          response: JSON.stringify(response),
          ledger: ledger === undefined ? null : BigInt(ledger),
          fee_charged: feeCharged ?? null,
          failure_code: failureCode ?? null,
          finished_at: databaseNow,
        })
        .where(isSettlement(key))
        .where('attempt', '=', attempt)
        .where('state', '=', 'submitted')
        .$if(txHash !== undefined, (query) => query.where('tx_hash', '=', txHash ?? ''))
        .$if(recordedWithinMs !== undefined, (query) =>
          query.where('recorded_at', '>', databaseTimeIn(-(recordedWithinMs ?? 0))),
        )
        .returningAll(),
    )
    .with('freed', (cte) =>
      cte
        .updateTable('channels')
        .from('finished')
        .set({
          ...noLease,
          last_used_at: databaseNow,
          sequence: sequence === 'keep' ? sql.ref<bigint | null>('channels.sequence') : null,
          misses: sequence === 'keep' ? 0 : sql<number>`channels.misses + 1`,
        })
        .whereRef('channels.lease_settlement', '=', 'finished.id')
        .returning('channels.account'),
    )
    .selectFrom('finished')
    .selectAll()
    .executeTakeFirst()
  return row && toSettlement(row)
}
