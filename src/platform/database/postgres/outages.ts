import type { StoreAddress } from './address.ts'
import { refusalOf } from './refusals.ts'
import { cutTexts } from './short-error.ts'
import { StoreUnavailable } from './unavailable.ts'

/**
 * Every way in which a database can be away: SQLSTATEs and their classes (Postgres, appendix A). All other errors of a
 * statement are defects of the statement, or broken invariants.
 */
const sqlStates: readonly string[] = [
  // Connection exceptions; PgBouncer reports with 08P01 that it has no server for the connection.
  '08',
  // Rolled back for the sake of another transaction: deadlock, serialization.
  '40',
  // Insufficient resources: too many connections, a full disk, no memory.
  '53',
  // Operator intervention: shutdown, crash, recovery, a dropped database, a statement that took too long.
  '57',
  // I/O errors outside of Postgres.
  '58',
  // Read-only: the connection leads to a standby, as before or after a failover.
  '25006',
  // The server ended a transaction that was idle, or took too long.
  '25P03',
  '25P04',
  // A lock that is not available in time.
  '55P03',
  // No such role, wrong password, no such database: a pooler that is connected reports these with a statement. They
  // may be temporary, as while a password is changed or a database is restored.
  '28',
  '3D000',
  // A right that was revoked, and tables of another application: refused until someone changes it, see refusals.ts.
  '42501',
  '42P07',
  '42710',
  '42723',
]

/** Codes of the system (`ECONNREFUSED`, `ECONNRESET`, `ETIMEDOUT`, `EPIPE`) and of node's sockets and TLS. */
const systemCode = /^(E(?!RR_)|ERR_(SOCKET|STREAM|SSL|TLS)_)/

/** Messages of node and `pg` for socket and pool errors that have no code. */
const lostConnection =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|Query read timeout|timeout expired|timeout exceeded|Cannot use a pool after|(connect|read|write|getaddrinfo) E)/

/** Postgres ends the connection after an error of these severities: no statement causes one. */
const endsConnection = ['FATAL', 'PANIC']

/**
 * During `connect` every error is an outage, whatever its code: no statement takes part in it. So is 55000, with which
 * Postgres refuses connections to a database that allows none; for a statement the same code would be a defect.
 */
export type StorePhase = 'connect' | 'statement'

/**
 * The same error, or a `StoreUnavailable` around it when the database is away. Every error of the database comes by here, and its texts are
 * cut before anything reads them.
 * @param at where the database is, for its message
 */
export function asStoreFault(error: unknown, phase: StorePhase, at: StoreAddress): unknown {
  if (!(error instanceof Error)) return error
  cutTexts(error)
  const code = memberOf(error, 'code')
  return phase === 'connect' || isOutage(error, code)
    ? new StoreUnavailable(error, refusalOf(code, error.message, at))
    : error
}

function isOutage(error: Error, code: string): boolean {
  if (endsConnection.includes(memberOf(error, 'severity'))) return true
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')
  if (isSqlState) return sqlStates.some((prefix) => code.startsWith(prefix))
  return systemCode.test(code) || (code === '' && lostConnection.test(error.message))
}

function memberOf(error: Error, name: 'code' | 'severity'): string {
  const value: unknown = Reflect.get(error, name)
  return typeof value === 'string' ? value : ''
}
