import { describe, expect, it } from 'vitest'
import type { StoreAddress } from '../../../../../src/platform/database/postgres/address.ts'
import { asStoreFault } from '../../../../../src/platform/database/postgres/outages.ts'
import { refusalOf } from '../../../../../src/platform/database/postgres/refusals.ts'
import {
  isLastingRefusal,
  StoreUnavailable,
} from '../../../../../src/platform/database/postgres/unavailable.ts'

const failure = (message: string, code?: string, severity = 'ERROR') =>
  Object.assign(new Error(message), code === undefined ? {} : { code, severity })

const at: StoreAddress = {
  server: 'db:5432',
  host: 'db',
  database: 'svc',
  role: 'app',
  variable: 'DATABASE_URL',
  hasCa: false,
}

describe('asStoreFault', () => {
  it.each([
    ['a connection that was refused', failure('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED')],
    ['a connection that was reset', failure('read ECONNRESET', 'ECONNRESET')],
    ['a name that is not known', failure('getaddrinfo ENOTFOUND db', 'ENOTFOUND')],
    ['a pipe that is broken', failure('write EPIPE', 'EPIPE')],
    ['a name that is not known just now', failure('getaddrinfo EAI_AGAIN db', 'EAI_AGAIN')],
    [
      'several addresses that all refused',
      Object.assign(new AggregateError([failure('connect ECONNREFUSED ::1:1')]), {
        code: 'ECONNREFUSED',
      }),
    ],
    ['a socket error without a code', failure('write EPIPE')],
    ['a connection that ended', failure('Connection terminated unexpectedly')],
    ['a connection that took too long', failure('timeout expired')],
    ['a pool that is exhausted', failure('timeout exceeded when trying to connect')],
    ['a server that hangs', failure('Query read timeout')],
    [
      'a connection that broke before',
      failure('Client has encountered a connection error and is not queryable'),
    ],
    ['a pool that is closed', failure('Cannot use a pool after calling end on the pool')],
    ['a connection that is closed', failure('Client was closed and is not queryable')],
    ['a socket that is gone', failure('Cannot call write', 'ERR_STREAM_DESTROYED')],
    ['a connection exception', failure('gone', '08006')],
    ['a deadlock', failure('deadlock detected', '40P01')],
    ['a failed serialization', failure('could not serialize access', '40001')],
    ['a server that is full', failure('sorry, too many clients already', '53300')],
    ['a disk that is full', failure('could not extend file', '53100')],
    ['a lock that is not free', failure('canceling statement due to lock timeout', '55P03')],
    ['a standby', failure('cannot execute UPDATE in a read-only transaction', '25006')],
    ['a statement that took too long', failure('canceling statement', '57014')],
    ['a server that stops', failure('terminating connection', '57P01')],
    ['a server that starts', failure('the database system is starting up', '57P03')],
    ['a disk that fails', failure('could not read block', '58030')],
    ['a transaction that took too long', failure('terminating connection', '25P04')],
    ['a TLS record that is broken', failure('bad record mac', 'ERR_SSL_BAD_RECORD_MAC')],
    ['any error with which the server ends the connection', failure('gone', '55000', 'FATAL')],
  ])('says of %s: not now', (_, error) => {
    const fault = asStoreFault(error, 'statement', at)
    expect(fault).toBeInstanceOf(StoreUnavailable)
    expect(fault).toMatchObject({ name: 'StoreUnavailable', cause: error })
    expect(isLastingRefusal(fault)).toBe(false)
  })

  it.each([
    ['a wrong password', failure('password authentication failed', '28P01')],
    ['a database that does not exist', failure('database "x" does not exist', '3D000')],
    ['a role that does not exist', failure('role "x" does not exist', '28000')],
    ['a right that is missing', failure('permission denied for table settlements', '42501')],
  ])('says of %s: not until someone changes it', (_, error) => {
    expect(isLastingRefusal(asStoreFault(error, 'statement', at))).toBe(true)
  })

  it.each([
    ['a database that allows no connections', failure('is not currently accepting', '55000')],
    ['an internal error of a pooler', failure('Tenant or user not found', 'XX000')],
    ['a program that is no Postgres', failure('received invalid response: 48')],
  ])('says of %s: not now, when it is met while connecting', (_, error) => {
    expect(asStoreFault(error, 'connect', at)).toBeInstanceOf(StoreUnavailable)
    expect(asStoreFault(error, 'statement', at)).toBe(error)
  })

  it('keeps the message of a fault that has no sentence of its own', () => {
    const fault = asStoreFault(failure('deadlock detected', '40P01'), 'statement', at)
    expect(fault).toMatchObject({ message: 'store unavailable: deadlock detected' })
  })

  it.each([
    ['a broken constraint', failure('violates check constraint', '23514')],
    ['a row that is there already', failure('duplicate key value', '23505')],
    ['a missing table', failure('relation "settlements" does not exist', '42P01')],
    ['a statement that cannot be read', failure('syntax error', '42601')],
    ['a number out of range', failure('value out of range', '22003')],
    ['a value that node refuses', failure('must be of type string', 'ERR_INVALID_ARG_TYPE')],
    ['a division by zero', failure('division by zero', '22012')],
    ['an object in another state', failure('currval is not yet defined', '55000')],
    ['a defect of ours', new TypeError('cannot read properties of undefined')],
    ['something that is no error', 'connect ECONNREFUSED'],
  ])('lets %s through as it is', (_, error) => {
    expect(asStoreFault(error, 'statement', at)).toBe(error)
  })
})

describe('StoreUnavailable', () => {
  it('contains a cause that is only a text', () => {
    expect(new StoreUnavailable('the claim changed owner on every attempt').message).toBe(
      'store unavailable: the claim changed owner on every attempt',
    )
  })
})

describe('a server that someone else runs', () => {
  it('has its texts cut, also in the trace', () => {
    const long = 'x'.repeat(100_000)
    const error = Object.assign(failure(long, '42601'), { detail: long, hint: long, position: '1' })
    expect(asStoreFault(error, 'statement', at)).toBe(error)
    for (const text of [error.message, error.detail, error.hint]) expect(text).toHaveLength(2_000)
    expect(error.stack?.length).toBeLessThan(10_000)
    expect(error.stack).toContain('outages.test.ts')
    expect(error.position).toBe('1')
    const fault = asStoreFault(failure(long, '57P03'), 'connect', at)
    expect(Object(fault).message.length).toBeLessThan(3_000)
  })

  it.each([
    ['a role that is missing', '28000', 'role "'],
    ['a host that has no entry', '28000', 'no pg_hba.conf entry'],
    ['a schema', '42501', 'for schema '],
    ['nothing that it says of itself', 'XX000', ' '],
  ])('does not keep this process busy with a long message about %s', (_, code, unit) => {
    const before = process.cpuUsage()
    refusalOf(code, unit.repeat(Math.ceil(131_072 / unit.length)), at)
    // The square of the length is more than a second.
    expect(process.cpuUsage(before).user).toBeLessThan(300_000)
  })

  it('is understood when it says at length what Postgres says', () => {
    const host = 'no pg_hba.conf entry for host "10.0.0.1", user "app", database "svc"'
    expect(refusalOf('28000', `${host}, no encryption`, at)?.says).toContain('without TLS')
    expect(refusalOf('28000', host, at)?.says).not.toContain('without TLS')
    expect(refusalOf('28000', 'role "a "b"" does not exist', at)?.says).toContain('has no role')
  })
})
