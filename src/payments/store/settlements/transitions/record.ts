import { sql } from 'kysely'
import type { Db } from '../../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../../platform/database/sql-time.ts'
import { type ClaimFence, isOpenClaim } from '../claim/release.ts'

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
  const recorded = await db
    .with('claim', (cte) =>
      cte.selectFrom('settlements').select('id').where(isOpenClaim(recording)).forUpdate(),
    )
    // The channel is locked before the settlement is written, so that no other claim can lease it in between.
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
    .with('declared', (cte) => {
      const { declaration, attempt } = recording
      if (declaration !== undefined) {
        return cte
          .insertInto('catalog_declarations')
          .columns(['settlement_id', 'attempt', 'body'])
          .expression((from) =>
            from
              .selectFrom('recorded')
              .select([
                'recorded.id',
                sql<number>`${attempt}::integer`.as('attempt'),
                sql<string>`${declaration}::text`.as('body'),
              ]),
          )
          .onConflict((conflict) =>
            conflict.column('settlement_id').doUpdateSet((write) => ({
              attempt: write.ref('excluded.attempt'),
              body: write.ref('excluded.body'),
            })),
          )
          .returning('settlement_id')
      }
      return attempt === 1
        ? cte.selectFrom('recorded').select('recorded.id as settlement_id')
        : cte
            .deleteFrom('catalog_declarations')
            .using('recorded')
            .whereRef('catalog_declarations.settlement_id', '=', 'recorded.id')
            .returning('catalog_declarations.settlement_id')
    })
    .selectFrom('recorded')
    .select('id')
    .executeTakeFirst()
  return recorded !== undefined
}
