import { type RawBuilder, sql } from 'kysely'
import { inTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow } from '../../../platform/database/sql-time.ts'
import { lockRegistry } from './facilitators-lock.ts'
import { refreshVerified } from './signers-replace.ts'

/**
 * Each change of a signer has all payments looked at that it submitted. Anyone can announce a facilitator, so that one
 * changes its signers once in this time; its first ones are no change.
 */
const COOL_DOWN = sql`interval '1 hour'`

/** Whether the facilitator of a row may not change its signers yet. */
export const isCooling: RawBuilder<boolean> = sql<boolean>`(
  source = 'announced' and signers_changed_at is not null and signers_changed_at > ${databaseNow} - ${COOL_DOWN})`

const ended = sql`owner.id = signer.facilitator and owner.source = 'announced' and not ${isCooling}
  and (signer.proven_until is null or signer.proven_until <= ${databaseNow})`

/**
 * Takes from announced facilitators the signers whose proofs have ended, whether their servers answer or not: they are
 * claimed from then on, and the next facilitator that proves one gets it. Returns whether there were any.
 */
export async function endProofs(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select exists (
    select from explorer_signers signer, explorer_facilitators owner where ${ended}) as found`.execute(
    db,
  )
  if (!rows[0]?.found) return false
  await inTransaction(db, async (transaction) => {
    await lockRegistry(transaction)
    await sql`with gone as (
        delete from explorer_signers signer using explorer_facilitators owner where ${ended}
        returning signer.facilitator, signer.network, signer.address
      ), claimed as (
        select facilitator, jsonb_agg(jsonb_build_object('network', network, 'address', address)
          order by network, address) as signers from gone group by facilitator
      )
      update explorer_facilitators set claimed_signers = claimed_signers || claimed.signers,
        signers_changed_at = ${databaseNow}
      from claimed where id = claimed.facilitator`.execute(transaction)
    await refreshVerified(transaction)
  })
  return true
}
