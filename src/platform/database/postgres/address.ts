import pg from 'pg'

/** Where a database URL leads, without its password: for messages. */
export interface StoreAddress {
  /** `host:port`, or the path of a socket. */
  readonly server: string
  readonly host: string
  readonly database: string
  readonly role: string
  /** The variable that holds the URL. */
  readonly variable: UrlVariable
  /** Whether a certificate authority is named beside the URL: then TLS is required, whatever the URL says. */
  readonly hasCa: boolean
}

export type UrlVariable = 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'EXPLORER_DATABASE_URL'

export interface AddressOptions {
  /** @default 'DATABASE_URL' */
  readonly variable?: UrlVariable | undefined
  readonly hasCa?: boolean
}

/** Reads a URL as `pg` does, which takes what is missing from `PGHOST`, `PGUSER` and others. */
export function addressOf(
  connectionString: string,
  { variable = 'DATABASE_URL', hasCa = false }: AddressOptions = {},
): StoreAddress {
  const { host, port, database = '', user = '' } = parsed(connectionString)
  const server = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  return { server, host, database, role: user, variable, hasCa }
}

function parsed(connectionString: string) {
  try {
    return new pg.Client({ connectionString })
  } catch {
    // Fails when the URL names a certificate file that cannot be read.
    const { hostname, port, pathname, username } = new URL(connectionString)
    const [database, user] = [pathname.slice(1), username].map(decodeURIComponent)
    return { host: hostname, port: port || '5432', database, user }
  }
}
