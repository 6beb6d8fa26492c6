import { messageOf } from '../core/error-message.ts'
/**
 * The database could not answer: no connection, a lost connection, too slow or too busy. The caller may
 * try again. A write that failed with this may or may not have happened; every write of this module is
 * fenced or idempotent, so the caller finds out by repeating it or by reading the row.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'

  constructor(cause: unknown) {
    super(`store unavailable: ${messageOf(cause)}`, { cause })
  }
}

/**
 * SQLSTATE classes (Postgres, appendix A) of temporary faults, not of a bad statement: connection
 * exception, transaction rollback (deadlock, serialization), insufficient resources, lock not
 * available and read-only standby, operator intervention (shutdown, statement timeout), I/O errors.
 */
const transient = ['08', '40', '53', '55P03', '25006', '25P03', '57', '58']

/** Codes of the system (`ECONNRESET`) and of node's sockets (`ERR_STREAM_DESTROYED`). */
const socketCode = /^(E(?!RR_)|ERR_(SOCKET|STREAM)_)/

/** Messages of node and `pg` for socket and pool errors that have no code. */
const lostConnection =
  /^(Connection terminated|Client (has encountered a connection error|was closed)|Query read timeout|timeout expired|timeout exceeded|Cannot use a pool after|(connect|read|write|getaddrinfo) E)/

/** The same error, or a `StoreUnavailable` around it when the fault is the database's. */
export function asStoreFault(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')
  if (isSqlState) {
    return transient.some((prefix) => code.startsWith(prefix)) ? new StoreUnavailable(error) : error
  }
  return socketCode.test(code) || (code === '' && lostConnection.test(error.message))
    ? new StoreUnavailable(error)
    : error
}
