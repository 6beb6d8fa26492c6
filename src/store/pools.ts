import type { Kysely } from 'kysely'
import { type ChannelEntry, put } from './channels/channel.ts'
import { retire } from './channels/retire.ts'
import { type Fence, raiseEpoch, underFence } from './pools/epoch.ts'
import { claimSponsor, ownedBy, type PoolOwner, releaseSponsor } from './pools/ownership.ts'
import {
  announce,
  drainSome,
  type PoolChannel,
  type PoolKey,
  poolChannels,
  quarantine,
} from './pools/pool-channels.ts'
import type { Database } from './schema.ts'

/**
 * Channels as one leader among operators manages them. Every write is made under its fence, and
 * throws `Fenced` once a later leader has written.
 */
export interface PoolRepository {
  /** The first thing a new leader does. */
  raiseEpoch(fence: Fence): Promise<void>
  channels(pool: PoolKey): Promise<readonly PoolChannel[]>
  ownedBy(uid: string): Promise<readonly PoolOwner[]>
  /** What may be changed under this fence. */
  under(fence: Fence): PoolWrites
}

export interface PoolWrites {
  claimSponsor(pool: PoolOwner): Promise<PoolOwner>
  releaseSponsor(pool: PoolOwner): Promise<void>
  announce(
    pool: PoolKey,
    channels: readonly { readonly index: number; readonly account: string }[],
  ): Promise<void>
  /** Channels that are on the ledger: from now on they may be leased. */
  put(entries: readonly ChannelEntry[]): Promise<void>
  drain(pool: PoolKey, indices: readonly number[]): Promise<void>
  quarantine(
    pool: PoolKey,
    channel: { readonly index: number; readonly because: string },
  ): Promise<void>
  /** Accounts that are on the ledger no more. */
  retire(pool: PoolKey, accounts: readonly string[]): Promise<void>
}

export const poolRepository = (db: Kysely<Database>): PoolRepository => ({
  raiseEpoch: (fence) => raiseEpoch(db, fence),
  channels: (pool) => poolChannels(db, pool),
  ownedBy: (uid) => ownedBy(db, uid),
  under: (fence) => ({
    claimSponsor: (pool) => underFence(db, fence, (held) => claimSponsor(held, pool)),
    releaseSponsor: (pool) => underFence(db, fence, (held) => releaseSponsor(held, pool)),
    announce: (pool, channels) => underFence(db, fence, (held) => announce(held, pool, channels)),
    put: (entries) => underFence(db, fence, (held) => put(held, entries)),
    drain: (pool, indices) => underFence(db, fence, (held) => drainSome(held, pool, indices)),
    quarantine: (pool, channel) => underFence(db, fence, (held) => quarantine(held, pool, channel)),
    retire: ({ network, sponsor }, accounts) =>
      underFence(db, fence, (held) => retire(held, network, sponsor, accounts)),
  }),
})
