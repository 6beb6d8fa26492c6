import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../../../platform/database/schema.ts'
import { databaseNow } from '../../../../platform/database/sql-time.ts'
import { isSettlement, type SettlementKey } from '../settlement.ts'

/** Identifies one claim: a later attempt or another owner has another fence. */
export interface ClaimFence {
  readonly key: SettlementKey
  readonly owner: string
  readonly attempt: number
}

/** `where` clause: the claim still belongs to this owner, and nothing is recorded yet. */
const isOpenClaim = ({ key, owner, attempt }: ClaimFence) =>
  sql<SqlBool>`${isSettlement(key)} and settlements.state = 'claimed'
    and settlements.owner = ${owner} and settlements.attempt = ${attempt}`

/** A claim that an owner may hold without knowing its attempt: the store did not answer. */
export interface UncertainClaim {
  readonly key: SettlementKey
  readonly owner: string
  readonly fingerprint: string
}

/**
 * Gives a claim back before anything is recorded. Its channel is free at once, with its sequence number
 * unused, and a retry claims again. False when the claim no longer belongs to this owner.
 */
export const releaseClaim = (db: Db, fence: ClaimFence): Promise<boolean> =>
  release(db, isOpenClaim(fence))

/** The same, of any attempt of a request. The owner must not be settling that request meanwhile. */
export const releaseUncertainClaim = (
  db: Db,
  { key, owner, fingerprint }: UncertainClaim,
): Promise<boolean> =>
  release(
    db,
    sql<SqlBool>`${isSettlement(key)} and settlements.state = 'claimed'
      and settlements.owner = ${owner} and settlements.fingerprint = ${fingerprint}`,
  )

async function release(db: Db, isReleased: RawBuilder<SqlBool>): Promise<boolean> {
  const released = await db
    .with('released', (cte) =>
      cte.updateTable('settlements').set({ state: 'released' }).where(isReleased).returning('id'),
    )
    .with('freed', (cte) =>
      cte
        .updateTable('channels')
        .from('released')
        .set({ ...noLease, last_used_at: databaseNow })
        .whereRef('channels.lease_settlement', '=', 'released.id')
        .returning('channels.account'),
    )
    .selectFrom('released')
    .select('id')
    .executeTakeFirst()
  return released !== undefined
}

/** The lease columns of a free channel. */
export const noLease = {
  lease_owner: null,
  lease_settlement: null,
  lease_expires_at: null,
} as const
