import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { ConnectionCounts } from '../telemetry/metrics.ts'
import { stopwatch } from '../telemetry/stopwatch.ts'
import { asStoreFault } from './unavailable.ts'

export interface PostgresOptions {
  url: string
  /** Connections this process may hold. @default 10 */
  poolSize?: number
  /** The server gives up on a statement after this long. @default 10_000 */
  statementTimeoutMs?: number
  /** How long to wait for a free or a new connection. @default 5_000 */
  connectTimeoutMs?: number
  /** Shown in `pg_stat_activity`. @default 'svc' */
  applicationName?: string
  /** Called when an idle connection dies; the pool replaces it. */
  onConnectionLost?: (error: Error) => void
  /** Called with the time a query waited for its connection, also when it got none. */
  onConnectionWait?: (seconds: number) => void
}

/** The client's own limit comes this much after the server's: it applies when the server itself hangs. */
const HUNG_SERVER_MARGIN_MS = 1_000

const INT8 = 20

/** `int8` becomes bigint on this pool's connections alone; everything else stays as `pg` reads it. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format ?? 'text'),
}

export function openPool(options: PostgresOptions): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize ?? 10,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + HUNG_SERVER_MARGIN_MS,
    // A process that freezes within a transaction must not hold its locks for longer.
    idle_in_transaction_session_timeout: statementTimeoutMs,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    application_name: options.applicationName ?? 'svc',
    keepAlive: true,
    types,
  })
  // Without a listener an idle connection's death would end the process.
  pool.on('error', (error) => options.onConnectionLost?.(error))
  return pool
}

export const postgresDialect = (
  pool: pg.Pool,
  options: Pick<PostgresOptions, 'onConnectionWait'> = {},
): Dialect => new PostgresDialect({ pool: guardPool(pool, options) })

export const countConnections = ({
  totalCount,
  idleCount,
  waitingCount,
}: pg.Pool): ConnectionCounts => ({
  inUse: totalCount - idleCount,
  idle: idleCount,
  waiting: waitingCount,
})

/**
 * The pool for kysely, which throws the database's faults as `StoreUnavailable`. After such a fault the
 * connection is closed, not returned to the pool: after a time-out, the next query on it would wait for
 * the same hung server.
 */
function guardPool(
  pool: pg.Pool,
  { onConnectionWait }: Pick<PostgresOptions, 'onConnectionWait'>,
): PostgresPool {
  const guarded = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const connecting = new Set<Promise<unknown>>()
  const connect = (): Promise<pg.PoolClient> => {
    const seconds = stopwatch()
    const connected = orStoreFault(() => pool.connect())
    connecting.add(connected)
    return connected.finally(() => {
      connecting.delete(connected)
      onConnectionWait?.(seconds())
    })
  }
  return {
    options: pool.options,
    async end() {
      // The pool waits for connections in use, but never settles the promises of callers that wait for one.
      await Promise.allSettled(connecting)
      await pool.end()
    },
    async connect() {
      const client = await connect()
      const known = guarded.get(client)
      if (known) return known
      const fresh = guardClient(client)
      guarded.set(client, fresh)
      return fresh
    },
  }
}

/** The client itself in all but these two members. Kysely uses only the promise form of `query`. */
function guardClient(client: pg.PoolClient): PostgresPoolClient {
  let isBroken = false
  // The pool listens only while a client is idle: without this listener, a connection that dies during
  // a query would end the process. The query itself rejects.
  client.on('error', () => {
    isBroken = true
  })
  const query = (text: string, parameters: readonly unknown[]) =>
    orStoreFault(
      () => client.query(text, [...parameters]),
      () => {
        isBroken = true
      },
    )
  const release = (destroy?: boolean) => client.release(destroy === true || isBroken)
  return Object.create(client, { query: { value: query }, release: { value: release } })
}

async function orStoreFault<T>(work: () => Promise<T>, onStoreFault?: () => void): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = asStoreFault(error)
    if (fault !== error) onStoreFault?.()
    throw fault
  }
}
