import { sql } from 'kysely'
import type { Db } from '../../../../platform/database/schema.ts'
import { StatementBatch } from '../../../../platform/database/statement-batch.ts'
import type { ClaimFence } from '../claim/release.ts'
import { lockOf, type Row, requestRows } from './request-rows.ts'

export interface Recording extends ClaimFence {
  /** Account of the channel leased for this claim. */
  readonly channel: string
  /** Base64 of the signed fee-bump envelope. */
  readonly envelopeXdr: string
  /** Hex; of the fee bump. */
  readonly txHash: string
  /** Hex; of the transaction inside. */
  readonly innerHash: string
  /** Unix seconds after which no ledger may include it. */
  readonly maxTime: number
  /** The channel's sequence number that the transaction uses. */
  readonly sequenceUsed: bigint
  /** The latest ledger known. */
  readonly ledger: number
  /** Another replica may take it over after this time, unless its follower calls `renewFollowing`. */
  readonly dueInMs: number
  /** JSON text of what the payment declares to the catalog. @default it declares nothing */
  readonly declaration?: string | undefined
}

/**
 * Stores a signed envelope in one statement; the envelope may be sent only if this returns true. Returns false,
 * and writes nothing, when the claim or the channel's lease no longer belongs to this owner. From here on the
 * lease does not expire: the settlement holds the channel until it is final.
 *
 * The declaration is stored with it, in place of that of an earlier attempt; when the settlement succeeds, a trigger
 * of the database hands it over to the catalog.
 */
export async function recordEnvelope(db: Db, recording: Recording): Promise<boolean> {
  const [isRecorded] = await recordTogether(db, [recording])
  return isRecorded ?? false
}

/** Few enough that the first envelopes do not wait long for the last rows. */
const MAX_ITEMS = 50
/** One more than one, so that the database works while this process signs and sends. */
const MAX_STATEMENTS = 2

/** Records envelopes as `recordEnvelope` does; those that are signed at the same time share a statement. */
export const recordBatch = (db: Db): StatementBatch<Recording, boolean> =>
  new StatementBatch({
    one: (recording) => recordEnvelope(db, recording),
    many: (recordings) => recordTogether(db, recordings),
    maxItems: MAX_ITEMS,
    maxStatements: MAX_STATEMENTS,
  })

/**
 * Records envelopes in one statement, each under the conditions of `recordEnvelope`. Undefined for each
 * that it did not record; nothing of it was written.
 *
 * Each channel is locked before its settlement is written, so that no other claim can lease it in between.
 */
async function recordTogether(
  db: Db,
  recordings: readonly Recording[],
): Promise<readonly (true | undefined)[]> {
  const { rows } = await sql<{ place: number }>`
    with request as (
      ${requestRows(columns, recordings.map(toRow))}
    ), claim as materialized (
      select settlements.id, request.*
      from settlements join request using (network, payer, nonce, owner, attempt)
      where settlements.state = 'claimed'
      ${lockOf(recordings)}
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

const columns = {
  place: 'integer',
  network: 'text',
  payer: 'text',
  nonce: 'text',
  owner: 'text',
  attempt: 'integer',
  channel: 'text',
  envelope_xdr: 'text',
  tx_hash: 'text',
  inner_hash: 'text',
  max_time: 'bigint',
  sequence_used: 'bigint',
  ledger: 'bigint',
  due_in_ms: 'double precision',
  declaration: 'text',
} as const

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

const toRow = (recording: Recording, place: number): Row<typeof columns> => ({
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
