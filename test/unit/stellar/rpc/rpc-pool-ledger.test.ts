import { describe, expect, test } from 'vitest'
import { noAnswer } from './fake-endpoint.ts'
import { poolOf } from './fake-pool.ts'

const ABSURD = 4_000_000_000

describe('the ledger', () => {
  test('never goes backwards: an endpoint that lags is skipped', async () => {
    const { pool, a, b } = poolOf(2)
    a.ledger = 101
    expect(await pool.latestLedger()).toMatchObject({ sequence: 101 })
    a.ledger = 99
    b.ledger = 101
    expect(await pool.simulate('x')).toMatchObject({ latestLedger: 101 })
    expect(await pool.latestLedger()).toMatchObject({ sequence: 101 })
    // The one that lags is no longer used first.
    expect(a.work).toEqual(['tip', 'simulate'])
  })

  test('does not move while all endpoints lag behind it, and reads wait', async () => {
    const { pool, a, outcome } = poolOf(1)
    await pool.latestLedger()
    a.ledger = 96
    expect(await outcome(pool.latestLedger())).toMatchObject({ sequence: 100, closeTime: 1_500 })
    const requests: (() => Promise<object>)[] = [
      () => pool.simulate('x'),
      () => pool.ledgerEntries([]),
    ]
    for (const request of requests) {
      a.ledger = 96
      const late = await outcome(request().catch((error: unknown) => error))
      expect(late).toMatchObject({ kind: 'lagging' })
      const waiting = request()
      a.ledger = 100
      expect(await outcome(waiting)).toMatchObject({ latestLedger: 100 })
    }
  })

  test('restarts after a network reset: a lower ledger that closed later', async () => {
    const { pool, a } = poolOf(1)
    await pool.latestLedger()
    a.ledger = 3
    a.startedAt = 2_000
    expect(await pool.latestLedger()).toMatchObject({ sequence: 3, closeTime: 2_015 })
    expect(await pool.simulate('x')).toMatchObject({ latestLedger: 3 })
  })
})

describe('one of two endpoints that claims an absurd ledger or close time', () => {
  test.each([
    {
      when: 'as milliseconds, in every answer',
      absurd: { startedAt: 1_790_000_000_000 },
      searched: 0,
    },
    {
      when: 'in a simulation',
      absurd: { simulation: { latestLedger: ABSURD } },
      searched: 100,
    },
    {
      when: 'in every answer',
      absurd: { ledger: ABSURD, startedAt: 1_000 - 5 * ABSURD + 505 },
      searched: 0,
    },
  ])(
    '$when has failed, and the other one serves, but proves nothing absent alone',
    async ({ absurd, searched }) => {
      const { pool, a, b, lines } = poolOf(2)
      await pool.latestLedger()
      Object.assign(a, absurd)
      for (let count = 0; count < 5; count++) {
        expect(await pool.simulate('x')).toMatchObject({ latestLedger: 100 })
        expect(await pool.send('x')).toMatchObject({ status: 'PENDING', latestLedger: 100 })
        expect(await pool.latestLedger()).toMatchObject({ sequence: 100, closeTime: 1_500 })
        expect(await pool.transaction('x')).toMatchObject({ latestLedger: searched })
      }
      expect(lines[0]).toMatchObject({
        level: 'warn',
        endpoint: 'a',
        reason: expect.stringMatching(/a claims ledger \d+.*, while the latest is 100/),
      })
      expect(b.work).toContain('simulate')
    },
  )

  test('is used again once it is right', async () => {
    const { pool, a, clock, lines } = poolOf(2)
    await pool.latestLedger()
    a.simulation = { latestLedger: ABSURD }
    await pool.simulate('x')
    a.simulation = {}
    await clock.advance(1_000)
    await pool.simulate('x')
    await clock.advance(0)
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info'])
  })
})

describe('one of several endpoints that lies once', () => {
  const DAY = 24 * 3_600
  test.each([
    { lie: 'a later close time', ledger: 101, aheadBy: 29 * DAY },
    { lie: 'a far higher ledger', ledger: 2_400_100, aheadBy: 29 * DAY },
    { lie: 'a reset', ledger: 5, aheadBy: DAY },
  ])('about $lie silences none of the others', async ({ ledger, aheadBy }) => {
    const { pool, a, b, c, clock } = poolOf(3)
    const startedAt = clock.now() / 1_000 - 5 * 100
    for (const endpoint of [a, b, c]) endpoint.startedAt = startedAt
    await pool.latestLedger()
    Object.assign(a, { ledger, startedAt: startedAt + 5 * (100 - ledger) + aheadBy })
    expect(await pool.latestLedger()).toMatchObject({ sequence: 100 })
    Object.assign(a, { ledger: 100, startedAt })
    for (const hours of [1, 2, 3, 4, 5]) {
      await clock.advance(3_600_000)
      for (const endpoint of [a, b, c]) endpoint.ledger = 100 + hours * 720
      b.landed.set(`paid in hour ${hours}`, b.ledger)
      expect(await pool.latestLedger()).toMatchObject({ sequence: b.ledger })
      expect(await pool.transaction(`paid in hour ${hours}`)).toMatchObject({ status: 'SUCCESS' })
      expect(await pool.simulate('x')).toMatchObject({ latestLedger: b.ledger })
    }
  })

  test.each([1, 2] as const)('does not matter after a true reset of all %i', async (count) => {
    const { pool, a, b } = poolOf(count)
    await pool.latestLedger()
    for (const endpoint of [a, b]) Object.assign(endpoint, { ledger: 3, startedAt: 2_000 })
    expect(await pool.latestLedger()).toMatchObject({ sequence: 3, closeTime: 2_015 })
    expect(await pool.simulate('x')).toMatchObject({ latestLedger: 3 })
  })
})

describe('one of several endpoints that claims a ledger a second', () => {
  test.each([2, 3] as const)('does not keep the others of %i from being used', async (count) => {
    const { pool, a, b, c, clock, outcome } = poolOf(count)
    const startedAt = clock.now() / 1_000 - 5 * 100
    for (const endpoint of [a, b, c]) endpoint.startedAt = startedAt
    for (let step = 0; step <= 60; step++) {
      a.ledger = 100 + 5 * step
      a.startedAt = startedAt - 20 * step + 30
      for (const endpoint of [b, c]) endpoint.ledger = 100 + step
      await pool.latestLedger()
      await pool.transaction('x')
      await clock.advance(5_000)
    }
    expect(pool.stats()).toMatchObject({ isDisputed: true })
    // The last ledger is in the two that the others have searched, or in that of both of two.
    expect(await pool.transaction('x')).toMatchObject({ latestLedger: 160 })
    a.failure = noAnswer()
    expect(await outcome(pool.ledgerEntries([]))).toMatchObject({ latestLedger: 160 })
    expect(await outcome(pool.latestLedger())).toMatchObject({ sequence: 160 })
    expect(await outcome(pool.simulate('x'))).toMatchObject({ kind: 'ok', latestLedger: 160 })
    const searched = count === 2 ? 0 : 160
    expect(await outcome(pool.transaction('x'))).toMatchObject({ latestLedger: searched })
  })
})

describe('a test network', () => {
  test('that closes many ledgers at once is followed, at the first answer', async () => {
    const { pool, a } = poolOf(1)
    await pool.latestLedger()
    a.ledger = 200_000
    expect(await pool.simulate('x')).toMatchObject({ latestLedger: 200_000 })
  })

  test('that was reset keeps its new ledgers though an answer from before the reset comes late', async () => {
    const { pool, a, b, clock } = poolOf(2)
    await pool.identify()
    a.ledger = 105
    await pool.latestLedger()
    b.ledger = 105
    const late = Promise.withResolvers<void>()
    b.waitFor = late.promise
    a.failures.set('simulate', [noAnswer()])
    const simulating = pool.simulate('x')
    await clock.advance(0)
    b.waitFor = undefined
    for (const endpoint of [a, b]) Object.assign(endpoint, { ledger: 100, startedAt: 2_000 })
    expect(await pool.latestLedger()).toMatchObject({ sequence: 100 })
    late.resolve()
    await clock.advance(20_000)
    await simulating
    expect(await pool.simulate('x')).toMatchObject({ latestLedger: 100 })
  })
})

describe('a simulation by an endpoint that lags', () => {
  test.each([1, 2, 3])(
    '%i ledgers behind is accepted, with the latest ledger known and its own',
    async (lag) => {
      const { pool, a, b } = poolOf(2)
      await pool.latestLedger()
      a.ledger -= lag
      const first = { kind: 'ok', latestLedger: 100, simulatedOn: 100 - lag }
      expect(await pool.simulate('x')).toMatchObject(first)
      for (let count = 1; count < 100; count++) {
        const answer = await pool.simulate('x')
        expect(answer).toMatchObject({ kind: 'ok', latestLedger: 100 })
        expect(answer.simulatedOn).toBeUndefined()
      }
      // The one that is up to date is preferred after the first answer.
      expect([a.work.length, b.work.length]).toEqual([2, 99])
    },
  )

  test('as all do, fails no payment in the moment after a ledger closed', async () => {
    const { pool, a, b, c } = poolOf(3)
    const fleet = [a, b, c]
    for (let ledger = 101; ledger <= 200; ledger++) {
      // Only the last one has the ledger when the others are asked.
      for (const endpoint of fleet) endpoint.ledger = ledger - 1
      const ahead = fleet[ledger % 3]
      if (ahead) ahead.ledger = ledger
      await pool.latestLedger()
      if (ahead) ahead.ledger = ledger - 1
      expect(await pool.simulate('x')).toMatchObject({ kind: 'ok' })
    }
  })

  test('is not accepted four ledgers behind', async () => {
    const { pool, a, outcome } = poolOf(1)
    await pool.latestLedger()
    a.ledger -= 4
    await expect(outcome(pool.simulate('x'))).rejects.toMatchObject({ kind: 'lagging' })
  })

  test('is a failure only when no endpoint is up to date', async () => {
    const { pool, a, b, outcome } = poolOf(2)
    await pool.latestLedger()
    Object.assign(a, { ledger: 99, simulation: { kind: 'failed', error: 'no funds' } })
    expect(await pool.simulate('x')).toMatchObject({ kind: 'ok' })
    Object.assign(b, { ledger: 99, simulation: { kind: 'failed', error: 'no funds' } })
    expect(await outcome(pool.simulate('x'))).toMatchObject({ kind: 'failed', latestLedger: 100 })
  })

  test('is no sign of lag when it was refused before a ledger was read', async () => {
    const { pool, a, b } = poolOf(2)
    await pool.latestLedger()
    a.simulation = { kind: 'failed', error: 'malformed', latestLedger: 0 }
    expect(await pool.simulate('x')).toMatchObject({ error: 'malformed', latestLedger: 0 })
    await pool.simulate('x')
    expect([a.work, b.work]).toEqual([['tip', 'simulate', 'simulate'], []])
  })
})

describe('the newest ledger', () => {
  test('is read from every endpoint, also from one that no request was sent to', async () => {
    const { pool, a, b, c } = poolOf(3)
    await pool.identify()
    await pool.latestLedger()
    Object.assign(b, { ledger: 102 })
    Object.assign(c, { ledger: 103 })
    expect(await pool.simulate('x')).toMatchObject({ latestLedger: 100 })
    expect(await Promise.all([pool.newestLedger(), pool.newestLedger()])).toEqual([103, 103])
    expect([a.work, b.work, c.work]).toEqual([['tip', 'simulate', 'tip'], ['tip'], ['tip']])
    // From now on the others lag.
    expect(await pool.latestLedger()).toMatchObject({ sequence: 103 })
    expect(c.work).toEqual(['tip', 'tip'])
  })

  test('is the latest one known while no endpoint answers, and failed ones are not asked', async () => {
    const { pool, a, b } = poolOf(2)
    await pool.identify()
    await pool.latestLedger()
    for (const endpoint of [a, b]) Object.assign(endpoint, { ledger: 105, failure: noAnswer() })
    expect(await pool.newestLedger()).toBe(100)
    const asked = [a.work.length, b.work.length]
    expect(await pool.newestLedger()).toBe(100)
    expect([a.work.length, b.work.length]).toEqual(asked)
  })
})
