import { messageOf } from '../core/error-message.ts'
import type { StoreAddress } from './address.ts'
import { type Refusal, refusalOf } from './refusals.ts'

/**
 * The database could not answer: no connection, a lost connection, too slow or too busy, or it refuses this
 * role or database. The caller may try again. A write that failed with this may or may not have happened; every
 * write of this module is fenced or idempotent, so the caller finds out by repeating it or by reading the row.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  /** What is wrong and what to do about it, where the cause is a known one. */
  readonly refusal: Refusal | undefined

  constructor(cause: unknown, refusal?: Refusal) {
    super(refusal ? sentencesOf(refusal) : `store unavailable: ${messageOf(cause)}`, { cause })
    this.refusal = refusal
  }
}

const sentencesOf = ({ says, todo }: Refusal): string =>
  `${says}. ${todo.charAt(0).toUpperCase()}${todo.slice(1)}.`

/** Whether it stays until someone changes the configuration, the database or its rights. */
export const isLastingRefusal = (error: unknown): boolean =>
  error instanceof StoreUnavailable && error.refusal?.isLasting === true

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

/**
 * The same error, or a `StoreUnavailable` around it when the fault is the database's.
 * @param at where the database is, for its message
 */
export function asStoreFault(error: unknown, at: StoreAddress): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const refusal = refusalOf(code, error.message, at)
  return refusal !== undefined || isTransient(error, code)
    ? new StoreUnavailable(error, refusal)
    : error
}

function isTransient({ message }: Error, code: string): boolean {
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')
  if (isSqlState) return transient.some((prefix) => code.startsWith(prefix))
  return socketCode.test(code) || (code === '' && lostConnection.test(message))
}
