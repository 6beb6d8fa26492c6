import { sql } from 'kysely'
import type { Stroops } from '../../../../platform/core/amounts/stroops.ts'
import { type Db, type FinalState, finalStates } from '../../../../platform/database/schema.ts'
import { StatementBatch } from '../../../../platform/database/statement-batch.ts'
import { findSettlement } from '../find.ts'
import {
  type Settlement,
  type SettlementKey,
  type SettlementRow,
  type StoredResponse,
  toSettlement,
} from '../settlement.ts'
import { type Row, requestRows } from './request-rows.ts'

export interface FinishRequest {
  readonly key: SettlementKey
  readonly attempt: number
  /** Hash of the recorded envelope that has this outcome. @default whichever is recorded for the attempt */
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
  /** The stored settlement, whose outcome is the answer to the request. */
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
  const [finished] = await finishTogether(db, [request])
  if (finished) return finished
  const settlement = await findSettlement(db, request.key)
  if (settlement && isFinal(settlement, request)) return { settlement, isNew: false }
  const { network, payer, nonce } = request.key
  throw new RecordLost(
    `cannot finish settlement ${network} ${payer} ${nonce} attempt ${request.attempt}: ` +
      `it is ${settlement ? `${settlement.state}, attempt ${settlement.attempt}` : 'not stored'}`,
  )
}

/** Few enough that the first answers do not wait long for the last rows, and that one statement is planned once. */
const MAX_ITEMS = 100
/** One more than one, so that the database works while this process answers. */
const MAX_STATEMENTS = 2

/** Finishes settlements as `finishSettlement` does; those that end at the same time share a statement. */
export const finishBatch = (db: Db): StatementBatch<FinishRequest, FinishOutcome> =>
  new StatementBatch({
    one: (request) => finishSettlement(db, request),
    many: (requests) => finishTogether(db, requests),
    maxItems: MAX_ITEMS,
    maxStatements: MAX_STATEMENTS,
  })

/** Whether it has ended by the envelope of this request: another one may be of another request, which it must not answer. */
const isFinal = ({ state, recorded }: Settlement, { txHash }: FinishRequest): boolean =>
  finalStates.some((final) => final === state) &&
  (txHash === undefined || recorded?.txHash === txHash)

/**
 * Finishes recorded settlements in one statement. Undefined for each that is not `submitted`, or of another
 * attempt or envelope; nothing of it was written.
 */
async function finishTogether(
  db: Db,
  requests: readonly FinishRequest[],
): Promise<readonly (FinishOutcome | undefined)[]> {
  const { locks, settlement, channel } = requests.length === 1 ? alone : locked
  const { rows } = await sql<SettlementRow & { place: number }>`
    with request as (
      ${requestRows(columns, requests.map(toRow))}
    )${locks.settlements}, finished as (
      update settlements set state = request.state, response = request.response::json,
        ledger = request.ledger, fee_charged = request.fee_charged,
        failure_code = request.failure_code, finished_at = clock_timestamp()
      from ${settlement}
      returning settlements.*, request.place, request.is_number_known
    )${locks.channels}, freed as (
      update channels set lease_owner = null, lease_settlement = null, lease_expires_at = null,
        last_used_at = clock_timestamp(),
        sequence = case when finished.is_number_known then channels.sequence end,
        misses = case when finished.is_number_known then 0 else channels.misses + 1 end
      from ${channel} where channels.lease_settlement = finished.id
    )
    select * from finished`.execute(db)
  const outcomes = new Map(
    rows.map(({ place, ...row }) => [place, { settlement: toSettlement(row), isNew: true }]),
  )
  return requests.map((_, place) => outcomes.get(place))
}

/** Whether a request is for this settlement, which is under way. */
const isRequested = sql`settlements.network = request.network and settlements.payer = request.payer
  and settlements.nonce = request.nonce and settlements.attempt = request.attempt
  and settlements.state = 'submitted'
  and (request.hash is null or settlements.tx_hash = request.hash)`

/** One request alone waits for whatever has locked its settlement: its updates take the locks. */
const alone = {
  locks: { settlements: sql``, channels: sql`` },
  settlement: sql`request where ${isRequested}`,
  channel: sql`finished`,
}

/** Several lock first, see `lockOf`. */
const locked = {
  locks: {
    settlements: sql`, open as materialized (
      select settlements.id, request.* from settlements join request on ${isRequested}
      for update of settlements skip locked
    )`,
    channels: sql`, held as materialized (
      select finished.id, finished.is_number_known
      from channels join finished on channels.lease_settlement = finished.id
      order by channels.account
      for update of channels
    )`,
  },
  settlement: sql`open request where settlements.id = request.id`,
  channel: sql`held finished`,
}

const columns = {
  place: 'integer',
  network: 'text',
  payer: 'text',
  nonce: 'text',
  attempt: 'integer',
  hash: 'text',
  state: 'text',
  response: 'text',
  ledger: 'bigint',
  fee_charged: 'bigint',
  failure_code: 'text',
  is_number_known: 'boolean',
} as const

const toRow = (
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
  place: number,
): Row<typeof columns> => ({
  ...key,
  place,
  attempt,
  hash: txHash,
  state,
  // The response is written as text, so that the members keep their order and the characters their escapes.
  response: JSON.stringify(response),
  ledger,
  fee_charged: feeCharged?.toString(),
  failure_code: failureCode,
  is_number_known: sequence === 'keep',
})
