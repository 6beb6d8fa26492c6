import { Kysely, sql } from 'kysely'
import type { RateWindows } from '../core/rate-windows.ts'
import type { ConnectionCounts } from '../telemetry/metrics.ts'
import { type ChannelNewsOptions, listenForFreedChannels } from './channel-news.ts'
import { type ChannelRepository, channelRepository } from './channels.ts'
import { type HourCountRepository, hourCountRepository } from './hour-counts.ts'
import { memoryDialect } from './memory.ts'
import { migrate, pendingMigrations } from './migrate.ts'
import { type PoolRepository, poolRepository } from './pools.ts'
import { countConnections, openPool, type PostgresOptions, postgresDialect } from './postgres.ts'
import { rateWindowRepository } from './rate-windows.ts'
import type { Database } from './schema.ts'
import { type SettlementRepository, settlementRepository } from './settlements.ts'
import { type UsageRepository, usageRepository } from './usage.ts'

/**
 * The shared durable state. Every call throws `StoreUnavailable` when the database cannot answer
 * just now; any other error is a defect or a broken invariant.
 */
export interface Store extends AsyncDisposable {
  /** For the repositories of other aggregates in this room, and for tests. */
  readonly db: Kysely<Database>
  readonly settlements: SettlementRepository
  readonly channels: ChannelRepository
  readonly rateWindows: RateWindows
  readonly hourCounts: HourCountRepository
  readonly pools: PoolRepository
  readonly usage: UsageRepository
  /** News of channels that other processes free; one process alone needs none. */
  listenForFreedChannels(options: ChannelNewsOptions): AsyncDisposable
  /** How its connections stand; undefined where there are none. */
  connections(): ConnectionCounts | undefined
  /** One round trip; throws when the store does not answer. */
  ping(): Promise<void>
  /** Brings the schema up to date; answers the names of the migrations it ran. */
  migrate(): Promise<readonly string[]>
  /** Names of the migrations the schema lacks; writes nothing. */
  pendingMigrations(): Promise<readonly string[]>
  /**
   * Waits for running queries, refuses those that still wait for a connection, then closes every
   * connection. May be called twice.
   */
  close(): Promise<void>
}

export type StoreOptions =
  | ({ kind: 'postgres' } & PostgresOptions)
  /** Nobody waits for a connection to it. */
  | ({ kind: 'memory' } & Pick<PostgresOptions, 'onConnectionWait'>)

/** Opens the store without touching the schema. Postgres is connected to by the first query. */
export async function openStore(options: StoreOptions): Promise<Store> {
  if (options.kind === 'memory') {
    const db = new Kysely<Database>({ dialect: await memoryDialect() })
    const alone = { [Symbol.asyncDispose]: async () => undefined }
    return storeOver(db, () => db.destroy(), {
      listenForFreedChannels: () => alone,
      connections: () => undefined,
    })
  }
  const pool = openPool(options)
  const db = new Kysely<Database>({ dialect: postgresDialect(pool, options) })
  const destroy = async () => {
    await db.destroy()
    // Kysely leaves alone a pool that it never drew from.
    if (!pool.ended) await pool.end()
  }
  return storeOver(db, destroy, {
    listenForFreedChannels: (news) => listenForFreedChannels(options.url, news),
    connections: () => countConnections(pool),
  })
}

function storeOver(
  db: Kysely<Database>,
  destroy: () => Promise<void>,
  own: Pick<Store, 'listenForFreedChannels' | 'connections'>,
): Store {
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= destroy()
    return closing
  }
  return {
    db,
    settlements: settlementRepository(db),
    channels: channelRepository(db),
    rateWindows: rateWindowRepository(db),
    hourCounts: hourCountRepository(db),
    pools: poolRepository(db),
    usage: usageRepository(db),
    ...own,
    ping: async () => {
      await sql`select 1`.execute(db)
    },
    migrate: () => migrate(db),
    pendingMigrations: () => pendingMigrations(db),
    close,
    [Symbol.asyncDispose]: close,
  }
}
