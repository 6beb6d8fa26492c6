import { describe, expect, it } from 'vitest'
import { parseMonth, whyNoStatement } from '../../../../../src/payments/usage/statement/month.ts'

describe('parseMonth', () => {
  it.each([
    { name: '2026-11', from: '2026-11-01T00:00:00.000Z', until: '2026-12-01T00:00:00.000Z' },
    { name: '2026-12', from: '2026-12-01T00:00:00.000Z', until: '2027-01-01T00:00:00.000Z' },
    { name: '2028-02', from: '2028-02-01T00:00:00.000Z', until: '2028-03-01T00:00:00.000Z' },
  ])('reads $name as a month of UTC', ({ name, from, until }) => {
    expect(parseMonth(name)).toEqual({ name, from: new Date(from), until: new Date(until) })
  })

  it.each(['', '2026', '2026-13', '2026-00', '2026-1', '2026-11-01', '1999-12', ' 2026-11'])(
    'takes %j for no month',
    (name) => expect(parseMonth(name)).toBeUndefined(),
  )
})

describe('whyNoStatement', () => {
  const november = parseMonth('2026-11')!
  const at = (time: string) => Date.parse(time)

  it.each([
    { when: 'the month is over', now: at('2026-12-20'), keptDays: undefined },
    { when: 'the month has begun', now: at('2026-11-01'), keptDays: 1 },
    { when: 'its first day is just kept', now: at('2026-12-01'), keptDays: 30 },
  ])('lets a statement be made when $when', ({ now, keptDays }) => {
    expect(whyNoStatement(november, now, keptDays)).toBeUndefined()
  })

  it.each([
    { now: at('2026-10-31T23:59:59.999Z'), keptDays: undefined, why: 'has not begun' },
    { now: at('2026-12-01T00:00:00.001Z'), keptDays: 30, why: 'for 30 days' },
  ])('refuses one with the reason "$why"', ({ now, keptDays, why }) => {
    expect(whyNoStatement(november, now, keptDays)).toContain(why)
  })
})
