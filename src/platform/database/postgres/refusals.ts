/** Why Postgres, or the way to it, refuses: from the code of an error to a sentence and a remedy. */
import type { StoreAddress } from './address.ts'

export interface Refusal {
  /** The problem, in one sentence without a full stop. */
  readonly says: string
  /** The advice about it, likewise. */
  readonly todo: string
  /** Whether it stays until someone changes the configuration, the database or its rights. */
  readonly isLasting: boolean
}

interface Row {
  /** SQLSTATEs (Postgres, appendix A), and codes of Node for the system, DNS and TLS. Empty: any. */
  readonly codes: readonly string[]
  /**
   * The message, where the code alone is ambiguous, or there is none. The server may be a stranger's: the time that an expression takes must
   * not grow faster than the message.
   */
  readonly matches?: RegExp
  readonly says: (at: StoreAddress, detail: string) => string
  readonly todo: string | ((at: StoreAddress, detail: string) => string)
  /** @default true */
  readonly mayRecover?: boolean
}

const postgres = ({ server }: StoreAddress): string => `Postgres at ${server}`
const quoted = (name: string): string => `"${name}"`

/** A message of Node's TLS continues: `; if the root CA is installed locally, try running Node.js with ...`. */
const firstClause = (detail: string): string => detail.split(/; if |\. Host:/)[0] ?? detail

const UNREACHABLE =
  'see that it runs, that host and port in DATABASE_URL are right, and that no firewall is in between'

/** The first row that fits wins. */
const rows: readonly Row[] = [
  {
    codes: ['3D000'],
    says: (at) => `${postgres(at)} has no database ${quoted(at.database)}`,
    todo: ({ database }) =>
      `create it (createdb ${database}), or correct the name of the database in DATABASE_URL`,
  },
  {
    // PgBouncer's sentence.
    codes: ['08P01'],
    matches: /no such database/,
    says: (at) => `The connection pooler at ${at.server} has no database ${quoted(at.database)}`,
    todo: 'add it to the databases of the pooler, or correct its name in DATABASE_URL',
  },
  {
    codes: ['28000'],
    matches: /^role ".*" does not exist$/s,
    says: (at) => `${postgres(at)} has no role ${quoted(at.role)}`,
    todo: ({ role }) =>
      `create it (createuser --pwprompt ${role}), or correct the user in DATABASE_URL`,
  },
  {
    codes: ['28000'],
    matches: /^no pg_hba\.conf entry .*, no encryption$/s,
    says: (at) =>
      `${postgres(at)} accepts no connection without TLS of role ${quoted(at.role)} to database ${quoted(at.database)} from this machine`,
    todo: 'add ?sslmode=verify-full to DATABASE_URL (and the file of a CA of your own in DATABASE_CA_FILE), or allow the connection in pg_hba.conf',
  },
  {
    codes: ['28000'],
    matches: /pg_hba\.conf/,
    says: (at) =>
      `${postgres(at)} accepts no connection of role ${quoted(at.role)} to database ${quoted(at.database)} from this machine`,
    todo: 'allow it in pg_hba.conf of the server, or correct user and database in DATABASE_URL',
  },
  {
    codes: ['28000'],
    matches: /not permitted to log in/,
    says: (at) => `${postgres(at)} does not let role ${quoted(at.role)} log in`,
    todo: ({ role }) => `run: alter role ${quoted(role)} login`,
    mayRecover: true,
  },
  {
    codes: [],
    matches: /client password must be a (non-empty )?string|empty password returned by client/,
    says: (at) =>
      `${postgres(at)} asks for a password of role ${quoted(at.role)}, and DATABASE_URL has none`,
    todo: ({ role, server, database }) =>
      `add it, as in postgres://${role}:PASSWORD@${server}/${database}, or name a file with the whole URL in DATABASE_URL_FILE`,
  },
  {
    codes: ['28P01', '28000'],
    says: (at) =>
      `${postgres(at)} refuses the password of role ${quoted(at.role)}, or has no such role`,
    todo: 'correct user and password in DATABASE_URL; a password with one of @ : / ? # % is written with %40 %3A %2F %3F %23 %25',
  },
  {
    codes: [],
    matches: /^The server does not support SSL connections$/,
    says: (at) =>
      `${postgres(at)} offers no TLS, and ${at.hasCa ? 'DATABASE_CA_FILE' : 'DATABASE_URL'} requires it`,
    todo: ({ hasCa }) =>
      `turn on ssl in the server, or ${hasCa ? 'unset DATABASE_CA_FILE' : 'remove sslmode from DATABASE_URL'} where the network between is private`,
  },
  {
    codes: ['CERT_HAS_EXPIRED'],
    says: (at) => `The TLS certificate of ${postgres(at)} has expired`,
    todo: 'renew it on the server',
  },
  {
    codes: ['ERR_TLS_CERT_ALTNAME_INVALID'],
    says: (at) => `The TLS certificate of ${postgres(at)} is for another host name`,
    todo: 'write the name that is in the certificate into DATABASE_URL, or renew the certificate for this one',
  },
  {
    codes: [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ],
    says: (at, detail) =>
      `The TLS certificate of ${postgres(at)} is not trusted (${firstClause(detail)})`,
    todo: 'name the file of its CA in DATABASE_CA_FILE, or in &sslrootcert=FILE of DATABASE_URL',
  },
  {
    codes: ['ENOENT', 'EACCES', 'EISDIR'],
    matches: /, (open|read)\b/,
    says: (_, detail) => `DATABASE_URL names a certificate or key that cannot be read (${detail})`,
    todo: 'correct sslrootcert, sslcert and sslkey in DATABASE_URL',
  },
  {
    codes: ['ENOTFOUND'],
    says: ({ host }) => `No DNS server knows the host ${quoted(host)} of DATABASE_URL`,
    todo: 'correct the host, or find out why this machine cannot resolve it',
    mayRecover: true,
  },
  {
    codes: ['EAI_AGAIN'],
    says: ({ host }) => `DNS does not answer for the host ${quoted(host)} of DATABASE_URL`,
    todo: 'see that this machine reaches its DNS server, and that the host is right',
    mayRecover: true,
  },
  {
    codes: ['ECONNREFUSED', 'ENOENT'],
    says: ({ server }) => `Nothing accepts connections at ${server} (connection refused)`,
    todo: 'start Postgres there, or correct host and port in DATABASE_URL',
    mayRecover: true,
  },
  {
    codes: ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
    says: (at) => `${postgres(at)} cannot be reached`,
    todo: UNREACHABLE,
    mayRecover: true,
  },
  {
    codes: [],
    matches: /^(timeout expired|Connection terminated due to connection timeout)$/,
    says: (at) => `${postgres(at)} does not answer`,
    todo: UNREACHABLE,
    mayRecover: true,
  },
  {
    codes: [],
    matches: /^timeout exceeded when trying to connect$/,
    says: (at) => `No connection to ${postgres(at)} became free, or could be opened, in time`,
    todo: 'see that it runs and is not overloaded; more connections need a higher DATABASE_POOL_SIZE',
    mayRecover: true,
  },
  {
    codes: [],
    matches: /^Connection terminated unexpectedly$/,
    says: ({ server }) => `The connection to ${server} ended without an answer`,
    todo: 'try again; if it stays so, see that Postgres, and no other program, listens there, and what its log says',
    mayRecover: true,
  },
  {
    codes: ['53300'],
    says: (at, detail) => `${postgres(at)} accepts no more connections (${detail})`,
    todo: 'close others, raise its max_connections, or lower DATABASE_POOL_SIZE of every replica',
    mayRecover: true,
  },
  {
    codes: ['53100'],
    says: (at) => `The disk of ${postgres(at)} is full`,
    todo: 'delete what it need not hold, or use a larger disk',
    mayRecover: true,
  },
  {
    codes: ['25006'],
    says: (at) => `${postgres(at)} is read-only, as a standby is`,
    todo: 'make DATABASE_URL lead to the primary, or turn off default_transaction_read_only',
    mayRecover: true,
  },
  {
    codes: ['55000'],
    matches: /not currently accepting connections/,
    says: (at) => `${postgres(at)} allows no connections to database ${quoted(at.database)}`,
    todo: ({ database }) =>
      `when it is to serve, run: alter database ${quoted(database)} allow_connections true`,
    mayRecover: true,
  },
  {
    codes: ['57P03'],
    says: (at, detail) => `${postgres(at)} does not accept connections yet (${detail})`,
    todo: 'try again in a moment',
    mayRecover: true,
  },
  {
    codes: ['42501'],
    matches: /for schema/,
    says: (at, detail) =>
      `Role ${quoted(at.role)} may not create tables in database ${quoted(at.database)} of ${at.server} (${detail})`,
    todo: ({ role }, detail) =>
      `as the owner of the database, run: grant usage, create on schema ${/for schema (\S+)/.exec(detail)?.[1] ?? 'public'} to ${quoted(role)}`,
  },
  {
    codes: ['42501'],
    says: (at, detail) =>
      `Role ${quoted(at.role)} lacks a right in database ${quoted(at.database)} of ${at.server} (${detail})`,
    todo: 'use the role that ran svc migrate, or grant this one the same rights',
  },
  {
    codes: ['42P07', '42710', '42723'],
    says: (at, detail) =>
      `Database ${quoted(at.database)} of ${at.server} belongs to another application (${detail})`,
    todo: 'use a database for svc alone, such as one made by createdb svc, and name it in DATABASE_URL',
  },
]

/** @param code the error's; empty when it has none */
export function refusalOf(code: string, message: string, at: StoreAddress): Refusal | undefined {
  const row = rows.find(
    ({ codes, matches }) =>
      (codes.length === 0 || codes.includes(code)) && (matches?.test(message) ?? true),
  )
  if (!row) return undefined
  const { says, todo, mayRecover = false } = row
  // The rows name the usual variable.
  const named = (text: string) => text.replaceAll('DATABASE_URL', at.variable)
  return {
    says: named(says(at, message)),
    todo: named(typeof todo === 'string' ? todo : todo(at, message)),
    isLasting: !mayRecover,
  }
}
