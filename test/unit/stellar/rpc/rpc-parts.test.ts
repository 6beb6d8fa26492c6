import { describe, expect, test } from 'vitest'
import { LastHourCounter } from '../../../../src/stellar/rpc/pool/last-hour-counter.ts'
import { rpcClients } from '../../../../src/stellar/rpc/rpc-client.ts'
import { parseRetryAfter } from '../../../../src/stellar/rpc/transport/transport-errors.ts'

const MINUTE_MS = 60_000

describe('parseRetryAfter', () => {
  test.each([
    { when: 'nothing', headers: {}, ms: undefined },
    { when: 'seconds', headers: { 'retry-after': ' 7 ' }, ms: 7_000 },
    {
      when: "a date, by the server's own clock",
      headers: {
        'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT',
        date: 'Wed, 21 Oct 2015 07:28:00 GMT',
      },
      ms: 30_000,
    },
    {
      when: 'a date that is past',
      headers: {
        'retry-after': 'Wed, 21 Oct 2015 07:27:00 GMT',
        date: 'Wed, 21 Oct 2015 07:28:00 GMT',
      },
      ms: 0,
    },
    {
      when: 'a date without the time of the answer',
      headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT' },
      ms: undefined,
    },
    { when: 'nonsense', headers: { 'retry-after': 'soon' }, ms: undefined },
  ])('reads $when', ({ headers, ms }) => {
    expect(parseRetryAfter(new Headers(headers))).toBe(ms)
  })
})

describe('LastHourCounter', () => {
  test('drops events that are an hour old, to the minute', () => {
    const count = new LastHourCounter()
    const start = 1_790_000_000_000
    count.add(start)
    count.add(start + 30 * MINUTE_MS)
    expect(count.count(start + 59 * MINUTE_MS)).toBe(2)
    expect(count.count(start + 60 * MINUTE_MS)).toBe(1)
    count.add(start + 120 * MINUTE_MS)
    expect(count.count(start + 120 * MINUTE_MS)).toBe(1)
  })
})

describe('rpcClients', () => {
  test('names endpoints without the parts of a URL that may be keys', () => {
    const urls = [
      'https://user:secret@one.example/secret?key=secret',
      'https://two.example:8000/secret-1',
      'https://two.example:8000/secret-2',
    ]
    expect(rpcClients(urls).map(({ name }) => name)).toEqual([
      'one.example',
      'two.example:8000 (2)',
      'two.example:8000 (3)',
    ])
  })
})
