import { sql } from 'kysely'
import type { Db } from '../../../../platform/database/schema.ts'
import { StatementBatch } from '../../../../platform/database/statement-batch.ts'
import { type Recording, recordEnvelope } from './record.ts'

/** Few enough that the first envelopes do not wait long for the last rows. */
const MAX_ITEMS = 50
/** One more than one, so that the database works while this process signs and sends. */
const MAX_STATEMENTS = 2

/** Records envelopes as `recordEnvelope` does; those that are signed at the same time share a statement. */
export const recordBatch = (db: Db): StatementBatch<Recording, boolean> =>
  new StatementBatch({
    one: (recording) => recordEnvelope(db, recording),
    many: (recordings) => recordMany(db, recordings),
    maxItems: MAX_ITEMS,
    maxStatements: MAX_STATEMENTS,
  })

/**
 * Records several envelopes in one statement, each under the conditions of `recordEnvelope`. Undefined for each
 * that it did not record, also because another statement has locked its settlement; nothing of it was written.
 *
 * The statement waits for no settlement, and locks channels in the order of their accounts: see `finishMany`.
 */
async function recordMany(
  db: Db,
  recordings: readonly Recording[],
): Promise<readonly (true | undefined)[]> {
  const { rows } = await sql<{ place: number }>`
    with request as (
      select * from json_to_recordset(${JSON.stringify(recordings.map(toRow))}::json) as rows
        (place integer, network text, payer text, nonce text, owner text, attempt integer, channel text,
         envelope_xdr text, tx_hash text, inner_hash text, max_time bigint, sequence_used bigint,
         ledger bigint, due_in_ms double precision, declaration text)
    ), claim as materialized (
      select settlements.id, request.*
      from settlements join request using (network, payer, nonce, owner, attempt)
      where settlements.state = 'claimed'
      for update of settlements skip locked
    ), held as materialized (
      select channels.account, claim.*
      from channels join claim on channels.lease_settlement = claim.id
        and channels.network = claim.network and channels.account = claim.channel
      order by channels.account
      for update of channels
    ), recorded as (
      update settlements set state = 'submitted', channel = held.channel,
        envelope_xdr = held.envelope_xdr, tx_hash = held.tx_hash, inner_hash = held.inner_hash,
        max_time = held.max_time, recorded_at = clock_timestamp(), recorded_at_ledger = held.ledger,
        due_at = clock_timestamp() + held.due_in_ms * interval '1 millisecond'
      from held
      where settlements.id = held.id
      returning held.id, held.place, held.network, held.account, held.sequence_used, held.attempt,
        held.declaration
    ), advanced as (
      update channels set sequence = recorded.sequence_used, lease_expires_at = 'infinity'
      from recorded
      where channels.network = recorded.network and channels.account = recorded.account
        and channels.lease_settlement = recorded.id
    )${declarationsOf(recordings)}
    select place from recorded`.execute(db)
  const recorded = new Set(rows.map(({ place }) => place))
  return recordings.map((_, place) => recorded.has(place) || undefined)
}

/** Parts of the statement that none needs whose payments declare nothing. */
function declarationsOf(recordings: readonly Recording[]) {
  const declared = sql`, declared as (
      insert into catalog_declarations (settlement_id, attempt, body)
      select id, attempt, declaration from recorded where declaration is not null
      on conflict (settlement_id) do update set attempt = excluded.attempt, body = excluded.body
    )`
  const undeclared = sql`, undeclared as (
      delete from catalog_declarations using recorded
      where catalog_declarations.settlement_id = recorded.id and recorded.declaration is null
    )`
  const isDeclared = ({ declaration }: Recording) => declaration !== undefined
  // Only an earlier attempt can have left a declaration.
  const isRepeated = (each: Recording) => each.attempt > 1 && !isDeclared(each)
  return sql`${recordings.some(isDeclared) ? declared : sql``}${recordings.some(isRepeated) ? undeclared : sql``}`
}

const toRow = (recording: Recording, place: number) => ({
  place,
  ...recording.key,
  owner: recording.owner,
  attempt: recording.attempt,
  channel: recording.channel,
  envelope_xdr: recording.envelopeXdr,
  tx_hash: recording.txHash,
  inner_hash: recording.innerHash,
  max_time: recording.maxTime,
  sequence_used: recording.sequenceUsed.toString(),
  ledger: recording.ledger,
  due_in_ms: recording.dueInMs,
  declaration: recording.declaration,
})
