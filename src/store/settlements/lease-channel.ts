import type { Db } from '../schema.ts'
import { freeChannel, type LeasedChannel, leaseFree, toLeasedChannel } from './leased-channel.ts'
import { type ClaimFence, isOpenClaim } from './release.ts'

export interface LeaseRequest extends ClaimFence {
  readonly leaseTtlMs: number
}

export type LeaseOutcome =
  | { readonly kind: 'leased'; readonly channel: LeasedChannel }
  | { readonly kind: 'none_free' }
  /** The claim was taken over or released: the caller must stop. */
  | { readonly kind: 'claim_lost' }

/** Leases the least recently used free channel for a claim that has none, in one round trip. */
export async function leaseChannel(db: Db, request: LeaseRequest): Promise<LeaseOutcome> {
  const row = await db
    .with('claim', (cte) =>
      cte
        .selectFrom('settlements')
        .select(['id', 'network', 'sponsor'])
        .where(isOpenClaim(request))
        .forUpdate(),
    )
    .with('free', freeChannel)
    .with('leased', (cte) => leaseFree(cte, request))
    .selectFrom('claim')
    .leftJoin('leased', (join) => join.onTrue())
    .select(['leased.account', 'leased.index', 'leased.sequence'])
    .executeTakeFirst()
  if (!row) return { kind: 'claim_lost' }
  const { account, index, sequence } = row
  if (account === null || index === null) return { kind: 'none_free' }
  return { kind: 'leased', channel: toLeasedChannel({ account, index, sequence }) }
}
