import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'
import { databaseNow, databaseTimeIn } from '../sql-time.ts'
import { isFreeForClaim, type LeasedChannel, toLeasedChannel } from './leased-channel.ts'
import { type ClaimFence, isOpenClaim } from './release.ts'

export interface LeaseRequest extends ClaimFence {
  readonly leaseTtlMs: number
}

export type LeaseOutcome =
  | { readonly kind: 'leased'; readonly channel: LeasedChannel }
  | { readonly kind: 'none_free' }
  /** The claim was taken over or given back: whoever asks must stop. */
  | { readonly kind: 'claim_lost' }

/** Leases the least recently used free channel for a claim that got none, in one round trip. */
export async function leaseChannel(
  db: Kysely<Database>,
  request: LeaseRequest,
): Promise<LeaseOutcome> {
  const row = await db
    .with('claim', (cte) =>
      cte
        .selectFrom('settlements')
        .select(['id', 'network', 'sponsor'])
        .where(isOpenClaim(request))
        .forUpdate(),
    )
    .with('free', (cte) =>
      cte
        .selectFrom('channels')
        .innerJoin('claim', (join) =>
          join
            .onRef('claim.network', '=', 'channels.network')
            .onRef('claim.sponsor', '=', 'channels.sponsor'),
        )
        .select(['channels.network', 'channels.account', 'claim.id as settlement'])
        .where(isFreeForClaim)
        .orderBy('channels.last_used_at', (order) => order.asc().nullsFirst())
        .orderBy('channels.index')
        .limit(1)
        .forUpdate('channels')
        .skipLocked(),
    )
    .with('leased', (cte) =>
      cte
        .updateTable('channels')
        .from('free')
        .set((eb) => ({
          lease_owner: request.owner,
          lease_settlement: eb.ref('free.settlement'),
          lease_expires_at: databaseTimeIn(request.leaseTtlMs),
          last_used_at: databaseNow,
        }))
        .whereRef('channels.network', '=', 'free.network')
        .whereRef('channels.account', '=', 'free.account')
        .returning(['channels.account', 'channels.index', 'channels.sequence']),
    )
    .selectFrom('claim')
    .leftJoin('leased', (join) => join.onTrue())
    .select(['leased.account', 'leased.index', 'leased.sequence'])
    .executeTakeFirst()
  if (!row) return { kind: 'claim_lost' }
  const { account, index, sequence } = row
  if (account === null || index === null) return { kind: 'none_free' }
  return { kind: 'leased', channel: toLeasedChannel({ account, index, sequence }) }
}
