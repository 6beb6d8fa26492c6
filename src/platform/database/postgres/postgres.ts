import { type LookupFunction, Socket } from 'node:net'
import type { Dialect, PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import type { ConnectionCounts } from '../../telemetry/metrics/metrics.ts'
import { stopwatch } from '../../telemetry/traces/stopwatch.ts'
import { addressOf, type StoreAddress, type UrlVariable } from './address.ts'
import { shortTypes } from './answer-guard.ts'
import { connectionOf } from './connection.ts'
import { guardedClient } from './guarded-client.ts'
import { asStoreFault, type StorePhase } from './outages.ts'
import { PooledDialect } from './pooled-dialect.ts'
import { cutTexts } from './short-error.ts'

export interface PostgresOptions {
  url: string
  /** The variable that holds `url`, for messages. @default 'DATABASE_URL' */
  urlVariable?: UrlVariable
  /**
   * URL of the same database without a connection pooler, for migrations and notifications. @default `url`, and
   * no notifications if that leads through a pooler
   */
  directUrl?: string | undefined
  /** PEM of the certificate authority of the server; see `connectionOf`. */
  ca?: string | undefined
  /** Connections this process may hold. @default 10 */
  poolSize?: number
  /** The server gives up on a statement, and on a transaction without statements, after this long. @default 10_000 */
  statementTimeoutMs?: number
  /** Bytes that the server may send for one query; set for a server that someone else runs. @default unlimited */
  maxAnswerBytes?: number
  /** How long the server may take to close a connection that this process has ended. @default 5_000 */
  goodbyeMs?: number
  /** How long to wait for a free or a new connection. @default 5_000 */
  connectTimeoutMs?: number
  /** Resolves the name of the server. @default that of node */
  lookup?: LookupFunction
  /** Shown in `pg_stat_activity`. @default 'svc' */
  applicationName?: string
  /** Called when an idle connection dies; the pool replaces it. */
  onConnectionLost?: (error: Error) => void
  /** Called with the time a query waited for its connection, also when it got none. */
  onConnectionWait?: (seconds: number) => void
  /** Called once when a pooler refuses the statement time-out: then the server's own applies outside of transactions. */
  onTimeoutRefused?: () => void
}

const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000

/** The client's own limit comes this much after the server's: it applies when the server itself hangs. */
const HUNG_SERVER_MARGIN_MS = 1_000

const INT8 = 20

/** `int8` becomes bigint on this pool's connections alone; everything else stays as `pg` reads it. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format ?? 'text'),
}

/** For a server that chooses the types of what it answers: all others stay text. */
const boundedTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (shortTypes.has(oid) ? types.getTypeParser(oid, format) : String),
}

export function openPool(options: PostgresOptions): pg.Pool {
  const { lookup, maxAnswerBytes } = options
  const statementTimeoutMs = options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS
  const pool = new pg.Pool({
    ...connectionOf(options),
    Client: guardedClient(maxAnswerBytes, options.goodbyeMs),
    max: options.poolSize ?? 10,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + HUNG_SERVER_MARGIN_MS,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    application_name: options.applicationName ?? 'svc',
    keepAlive: true,
    ...(lookup && { stream: () => socketWithLookup(lookup) }),
    types: maxAnswerBytes === undefined ? types : boundedTypes,
  })
  // Without a listener an idle connection's death would end the process.
  pool.on('error', (error) => {
    cutTexts(error)
    options.onConnectionLost?.(error)
  })
  return pool
}

type DialectOptions = Pick<
  PostgresOptions,
  'url' | 'ca' | 'urlVariable' | 'onConnectionWait' | 'onTimeoutRefused' | 'statementTimeoutMs'
>

export const postgresDialect = (pool: pg.Pool, options: DialectOptions): Dialect =>
  new PooledDialect(
    { pool: guardPool(pool, options) },
    options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS,
  )

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
  { url, ca, urlVariable, onConnectionWait, onTimeoutRefused }: DialectOptions,
): PostgresPool {
  const address = addressOf(url, { variable: urlVariable, hasCa: ca !== undefined })
  const guarded = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const connecting = new Set<Promise<unknown>>()
  const connect = (): Promise<pg.PoolClient> => {
    const seconds = stopwatch()
    const connected = orStoreFault('connect', address, () => connectTo(pool, onTimeoutRefused))
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
      const fresh = guardClient(client, address)
      guarded.set(client, fresh)
      return fresh
    },
  }
}

/** PgBouncer's message for a parameter that it can neither pass on nor track. */
const refusedParameter = /unsupported startup parameter/

/** From the first refusal on, the pool connects without the statement time-out. */
async function connectTo(pool: pg.Pool, onTimeoutRefused?: () => void): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    if (!(error instanceof Error && refusedParameter.test(error.message))) throw error
    if (pool.options.statement_timeout !== false) {
      pool.options.statement_timeout = false
      onTimeoutRefused?.()
    }
    return pool.connect()
  }
}

/** The client itself in all but these two members. Kysely uses only the promise form of `query`. */
function guardClient(client: pg.PoolClient, address: StoreAddress): PostgresPoolClient {
  let isBroken = false
  // The pool listens only while a client is idle: without this listener, a connection that dies during
  // a query would end the process. The query itself rejects.
  client.on('error', () => {
    isBroken = true
  })
  const query = (text: string, parameters: readonly unknown[]) =>
    orStoreFault(
      'statement',
      address,
      () => client.query(text, [...parameters]),
      () => {
        isBroken = true
      },
    )
  const release = (destroy?: boolean) => client.release(destroy === true || isBroken)
  return Object.create(client, { query: { value: query }, release: { value: release } })
}

async function orStoreFault<T>(
  phase: StorePhase,
  address: StoreAddress,
  work: () => Promise<T>,
  onStoreFault?: () => void,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const fault = asStoreFault(error, phase, address)
    if (fault !== error) onStoreFault?.()
    throw fault
  }
}

/** A socket for `pg`, which connects by port and host alone and has no option for the look-up of the host. */
function socketWithLookup(lookup: LookupFunction): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  const connectTo = (port: number, host: string) => connect({ port, host, lookup })
  socket.connect = connectTo as typeof socket.connect
  return socket
}
