import { Kysely, sql } from 'kysely'
import {
  FreedChannelNotifier,
  notifyFreedChannels,
} from '../../payments/store/freed-channel-notifier.ts'
import {
  type FreedChannelsOptions,
  listenForFreedChannels,
} from '../../payments/store/listen-for-freed-channels.ts'
import type { NetworkId } from '../core/caip2.ts'
import type { ConnectionCounts } from '../telemetry/metrics/metrics.ts'
import { migrate, pendingMigrations, type SchemaState, schemaState } from './migrate.ts'
import {
  countConnections,
  openPool,
  type PostgresOptions,
  postgresDialect,
} from './postgres/postgres.ts'
import { RoutesDiffer, routeOf } from './postgres/route.ts'
import type { Database, Db } from './schema.ts'

/**
 * The state that all replicas share. Its queries are functions of their own, in the folders beside
 * this file: `claimWithChannel(store.db, request)`. Words:
 * claim: the right of one process to settle one authorization; it expires unless an envelope is recorded;
 * attempt: how often the authorization was claimed; with the owner it fences every transition;
 * lease: the right of one claim to use one channel; it does not expire once an envelope is recorded.
 *
 *     claimed --record--> submitted --finish--> succeeded | failed | expired
 *        |  \--release--> released  \--refuse--> refused      (the network refused the envelope)
 *        \--(it expires)-> abandoned    released, abandoned and refused rows are claimed again
 *
 * Every query throws `StoreUnavailable` when the database cannot answer at present; any other error is
 * a defect or a broken invariant.
 */
export interface Store extends AsyncDisposable {
  /** The first argument of the query functions. */
  readonly db: Db
  /**
   * Call it after a statement that has freed or added channels, and after its transaction: notifies all
   * replicas, this one included, soon. A store in memory has no other processes.
   */
  notifyFreedChannels(network: NetworkId): void
  /** Calls `onFreed` when a process frees a channel. A store in memory never calls it. */
  listenForFreedChannels(options: FreedChannelsOptions): AsyncDisposable
  /** How many connections are in use, idle and waited for; undefined for a store in memory. */
  connections(): ConnectionCounts | undefined
  /** One round trip. */
  ping(): Promise<void>
  /**
   * Brings the schema up to date, over the direct URL if there is one; returns the names of the migrations it
   * ran. Throws `RoutesDiffer` when the two URLs lead to different databases.
   */
  migrate(): Promise<readonly string[]>
  /** Names of the migrations that the database lacks; writes nothing. */
  pendingMigrations(): Promise<readonly string[]>
  /** How the database's schema differs from that of this version; writes nothing. */
  schemaState(): Promise<SchemaState>
  /**
   * Waits for notifications and running queries, rejects queries that still wait for a connection, then closes every
   * connection. May be called twice.
   */
  close(): Promise<void>
}

export type StoreOptions =
  | ({ kind: 'postgres' } & PostgresOptions)
  /** Accepts the callbacks of Postgres but never calls them. */
  | ({ kind: 'memory' } & Pick<PostgresOptions, 'onConnectionWait' | 'onTimeoutRefused'>)

/** Opens the store without touching the schema. The first query connects to Postgres. */
export async function openStore(options: StoreOptions): Promise<Store> {
  if (options.kind === 'memory') {
    const { memoryDialect } = await import('./memory/memory-dialect.ts')
    const db = new Kysely<Database>({ dialect: await memoryDialect() })
    const noNews = { [Symbol.asyncDispose]: async () => undefined }
    return storeOver(db, () => db.destroy(), {
      notifyFreedChannels: () => undefined,
      listenForFreedChannels: () => noNews,
      migrate: () => migrate(db),
      connections: () => undefined,
    })
  }
  const pool = openPool(options)
  const db = new Kysely<Database>({ dialect: postgresDialect(pool, options) })
  const notifier = new FreedChannelNotifier((networks) => notifyFreedChannels(db, networks))
  const destroy = async () => {
    await notifier.idle()
    await db.destroy()
    // Kysely does not end a pool that it never took a connection from.
    if (!pool.ended) await pool.end()
  }
  return storeOver(db, destroy, {
    notifyFreedChannels: (network) => notifier.notify(network),
    listenForFreedChannels: (listener) => {
      const { url, directUrl, ca } = options
      const isDirect = directUrl !== undefined
      return listenForFreedChannels({ url: directUrl ?? url, ca, isDirect }, listener)
    },
    migrate: () => migrateOver(db, options),
    connections: () => countConnections(pool),
  })
}

/** Migrates over the direct connection if there is one. */
async function migrateOver(db: Db, options: PostgresOptions): Promise<readonly string[]> {
  const { url, directUrl, ca } = options
  if (directUrl === undefined) return migrate(db)
  const [route, directRoute] = await Promise.all([
    routeOf({ url, ca }, 'DATABASE_URL'),
    routeOf({ url: directUrl, ca }, 'DATABASE_DIRECT_URL'),
  ])
  if (route.database !== directRoute.database) throw new RoutesDiffer(route, directRoute)
  await using direct = await openStore({
    ...options,
    kind: 'postgres',
    url: directUrl,
    urlVariable: 'DATABASE_DIRECT_URL',
    directUrl: undefined,
    poolSize: 1,
  })
  return await direct.migrate()
}

function storeOver(
  db: Db,
  destroy: () => Promise<void>,
  connection: Pick<
    Store,
    'notifyFreedChannels' | 'listenForFreedChannels' | 'migrate' | 'connections'
  >,
): Store {
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= destroy()
    return closing
  }
  return {
    db,
    ...connection,
    ping: async () => {
      await sql`select 1`.execute(db)
    },
    pendingMigrations: () => pendingMigrations(db),
    schemaState: () => schemaState(db),
    close,
    [Symbol.asyncDispose]: close,
  }
}
