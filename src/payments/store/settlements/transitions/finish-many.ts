import { sql } from 'kysely'
import type { Db } from '../../../../platform/database/schema.ts'
import { StatementBatch } from '../../../../platform/database/statement-batch.ts'
import { type SettlementRow, toSettlement } from '../settlement.ts'
import { type FinishOutcome, type FinishRequest, finishSettlement } from './finish.ts'

/** Few enough that the first answers do not wait long for the last rows, and that one statement is planned once. */
const MAX_ITEMS = 100
/** One more than one, so that the database works while this process answers. */
const MAX_STATEMENTS = 2

/** Finishes settlements as `finishSettlement` does; those that end at the same time share a statement. */
export const finishBatch = (db: Db): StatementBatch<FinishRequest, FinishOutcome> =>
  new StatementBatch({
    one: (request) => finishSettlement(db, request),
    many: (requests) => finishMany(db, requests),
    maxItems: MAX_ITEMS,
    maxStatements: MAX_STATEMENTS,
  })

/**
 * Finishes several recorded settlements in one statement. Undefined for each that is not `submitted`, of another
 * attempt, or locked by another statement; nothing of it was written.
 *
 * The statement waits for no settlement: it skips those that another statement has locked. It locks channels in
 * the order of their accounts, as every statement does that locks several.
 */
async function finishMany(
  db: Db,
  requests: readonly FinishRequest[],
): Promise<readonly (FinishOutcome | undefined)[]> {
  const { rows } = await sql<SettlementRow & { place: number }>`
    with request as (
      select * from json_to_recordset(${JSON.stringify(requests.map(toRow))}::json) as rows
        (place integer, network text, payer text, nonce text, attempt integer, hash text, state text,
         response text, ledger bigint, fee_charged bigint, failure_code text, is_number_known boolean)
    ), open as materialized (
      select settlements.id, request.place
      from settlements join request using (network, payer, nonce, attempt)
      where settlements.state = 'submitted'
        and (request.hash is null or settlements.tx_hash = request.hash)
      for update of settlements skip locked
    ), finished as (
      update settlements set state = request.state, response = request.response::json,
        ledger = request.ledger, fee_charged = request.fee_charged,
        failure_code = request.failure_code, finished_at = clock_timestamp()
      from open join request using (place)
      where settlements.id = open.id
      returning settlements.*, request.place, request.is_number_known
    ), held as materialized (
      select channels.network, channels.account, finished.id, finished.is_number_known
      from channels join finished on channels.lease_settlement = finished.id
      order by channels.account
      for update of channels
    ), freed as (
      update channels set lease_owner = null, lease_settlement = null, lease_expires_at = null,
        last_used_at = clock_timestamp(),
        sequence = case when held.is_number_known then channels.sequence end,
        misses = case when held.is_number_known then 0 else channels.misses + 1 end
      from held
      where channels.network = held.network and channels.account = held.account
        and channels.lease_settlement = held.id
    )
    select * from finished`.execute(db)
  const outcomes = new Map(
    rows.map(({ place, ...row }) => [place, { settlement: toSettlement(row), isNew: true }]),
  )
  return requests.map((_, place) => outcomes.get(place))
}

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
) => ({
  ...key,
  place,
  attempt,
  hash: txHash,
  state,
  // As text, so that the members keep their order and the characters their escapes.
  response: JSON.stringify(response),
  ledger,
  fee_charged: feeCharged?.toString(),
  failure_code: failureCode,
  is_number_known: sequence === 'keep',
})
