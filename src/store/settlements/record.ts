import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { databaseNow, databaseTimeIn } from '../sql-time.ts'
import { type ClaimFence, isOpenClaim } from './release.ts'

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
  /** Another replica may look after it once nobody has said for so long that it is followed. */
  readonly dueInMs: number
}

/**
 * Makes a signed envelope durable, in one statement: only after it answered true may the envelope
 * be sent. False when the claim or the channel's lease is not this owner's any more; then nothing
 * was written. From here on the channel is held without end, until the settlement is final.
 */
export async function recordEnvelope(db: Db, recording: Recording): Promise<boolean> {
  const recorded = await db
    .with('claim', (cte) =>
      cte.selectFrom('settlements').select('id').where(isOpenClaim(recording)).forUpdate(),
    )
    // Locked before the row is written, so that the lease cannot pass to another claim meanwhile.
    .with('held', (cte) =>
      cte
        .selectFrom('channels')
        .innerJoin('claim', 'claim.id', 'channels.lease_settlement')
        .select(['channels.network', 'channels.account', 'claim.id as settlement'])
        .where('channels.network', '=', recording.key.network)
        .where('channels.account', '=', recording.channel)
        .forUpdate('channels'),
    )
    .with('recorded', (cte) =>
      cte
        .updateTable('settlements')
        .from('held')
        .set({
          state: 'submitted',
          channel: recording.channel,
          envelope_xdr: recording.envelopeXdr,
          tx_hash: recording.txHash,
          inner_hash: recording.innerHash,
          max_time: BigInt(recording.maxTime),
          recorded_at: databaseNow,
          recorded_at_ledger: BigInt(recording.ledger),
          due_at: databaseTimeIn(recording.dueInMs),
        })
        .whereRef('settlements.id', '=', 'held.settlement')
        .returning('settlements.id'),
    )
    .with('advanced', (cte) =>
      cte
        .updateTable('channels')
        .from('recorded')
        .set({
          sequence: recording.sequenceUsed,
          lease_expires_at: sql<Date>`'infinity'`,
        })
        .where('channels.network', '=', recording.key.network)
        .where('channels.account', '=', recording.channel)
        .whereRef('channels.lease_settlement', '=', 'recorded.id')
        .returning('channels.account'),
    )
    .selectFrom('recorded')
    .select('id')
    .executeTakeFirst()
  return recorded !== undefined
}
