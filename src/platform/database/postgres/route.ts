import pg from 'pg'
import { addressOf, type UrlVariable } from './address.ts'
import { type ConnectionAddress, connectionOf } from './connection.ts'
import { asStoreFault } from './outages.ts'

/** Where a database URL leads. */
export interface Route {
  /** No connection pooler answers in between. */
  readonly isDirect: boolean
  /** Equal for two URLs only if both lead to the same database of the same running server. */
  readonly database: string
}

/** Connects once. Throws `StoreUnavailable` when the database does not answer within the limit. */
export async function routeOf(
  address: ConnectionAddress,
  variable: UrlVariable,
  limitMs = 5_000,
): Promise<Route> {
  const client = new pg.Client({
    ...connectionOf(address),
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
    application_name: 'svc',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ database: string }>(
      `select current_database() || ' of the server of ' || pg_postmaster_start_time() as database`,
    )
    return { isDirect: await isDirect(client), database: rows[0]?.database ?? '' }
  } catch (error) {
    throw asStoreFault(
      error,
      'connect',
      addressOf(address.url, { variable, hasCa: address.ca !== undefined }),
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Whether the server process that answers is the one announced when the connection was opened. A pooler
 * announces a number of its own, since it lends each transaction another server connection.
 */
export async function isDirect(client: pg.Client): Promise<boolean> {
  const announced = 'processID' in client ? client.processID : undefined
  return (await serverProcess(client)) === announced
}

/** The process id of the server's side of the connection. */
export async function serverProcess(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}

/** `DATABASE_DIRECT_URL` must reach the database of `DATABASE_URL`. */
export class RoutesDiffer extends Error {
  override readonly name = 'RoutesDiffer'

  constructor(url: Route, directUrl: Route) {
    super(
      `DATABASE_URL and DATABASE_DIRECT_URL lead to two databases, ${url.database} and ${directUrl.database}: ` +
        'make both lead to the primary of the same one',
    )
  }
}
