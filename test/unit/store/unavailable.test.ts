import { describe, expect, it } from 'vitest'
import { asStoreFault, StoreUnavailable } from '../../../src/store/unavailable.ts'

const coded = (code: string) => Object.assign(new Error('from the database'), { code })

describe('asStoreFault', () => {
  it.each([
    ['a refused connection', coded('ECONNREFUSED')],
    ['a reset connection', coded('ECONNRESET')],
    ['a name that does not resolve', coded('ENOTFOUND')],
    ['a broken pipe', coded('EPIPE')],
    ['a connection that ended', new Error('Connection terminated unexpectedly')],
    ['no free connection in time', new Error('timeout exceeded when trying to connect')],
    ['a hung server', new Error('Query read timeout')],
    ['a lost connection (08006)', coded('08006')],
    ['a server that shuts down (57P01)', coded('57P01')],
    ['a server that starts (57P03)', coded('57P03')],
    ['a statement timeout (57014)', coded('57014')],
    ['too many connections (53300)', coded('53300')],
    ['a full disk (53100)', coded('53100')],
    ['a deadlock (40P01)', coded('40P01')],
    ['a lock not granted (55P03)', coded('55P03')],
    ['a standby (25006)', coded('25006')],
  ])('calls %s unavailable and keeps the cause', (_, error) => {
    const fault = asStoreFault(error)
    expect(fault).toBeInstanceOf(StoreUnavailable)
    expect(fault).toMatchObject({ cause: error })
  })

  it.each([
    ['a broken constraint (23505)', coded('23505')],
    ['a missing table (42P01)', coded('42P01')],
    ['a wrong password (28P01)', coded('28P01')],
    ['a division by zero (22012)', coded('22012')],
    ['a defect of ours', new TypeError('x is not a function')],
    ['something that is no error', 'text'],
  ])('leaves %s as it is', (_, error) => {
    expect(asStoreFault(error)).toBe(error)
  })
})
