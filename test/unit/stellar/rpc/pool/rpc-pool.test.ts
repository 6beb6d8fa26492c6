import { describe, expect, test } from 'vitest'
import { RpcError } from '../../../../../src/stellar/rpc/rpc.ts'
import { noAnswer } from '../fake-endpoint.ts'
import { busy, poolOf } from '../fake-pool.ts'

const queueFull = new RpcError('queue_full', 'any', 'too many', { wasRefused: true })

describe('a pool of endpoints', () => {
  test('uses the first one while all are healthy', async () => {
    const { pool, a, b } = poolOf(2)
    await pool.simulate('x')
    await pool.latestLedger()
    expect([a.work, b.work]).toEqual([['simulate', 'tip'], []])
  })

  test.each([
    { when: 'does not answer', failure: noAnswer() },
    { when: 'answers unreadably', failure: new RpcError('unreadable', 'any', 'what') },
    {
      when: 'has an internal error',
      failure: new RpcError('rejected', 'any', 'DB error (-32603)'),
    },
    { when: 'is overloaded', failure: busy(5_000) },
  ])('uses the next one at once when one $when, and stays with it', async ({ failure }) => {
    const { pool, a, b, lines } = poolOf(2)
    await pool.identify()
    a.failure = failure
    expect(await pool.simulate('x')).toMatchObject({ kind: 'ok' })
    await pool.simulate('x')
    expect(a.work.filter((method) => method === 'simulate')).toHaveLength(1)
    expect(b.work).toEqual(['simulate', 'simulate'])
    expect(lines).toMatchObject([{ level: 'warn', endpoint: 'a' }])
  })

  test.each([
    { when: 'does not answer', failure: noAnswer() },
    { when: 'is overloaded', failure: busy(5_000) },
  ])('sends payments to an endpoint that $when to the call of a token', async ({ failure }) => {
    const { pool, a, b } = poolOf(2)
    await pool.identify()
    a.failures.set('simulate', [failure])
    await pool.simulate('x', undefined, 'simulate_token')
    await pool.simulate('x')
    expect([a.work, b.work]).toEqual([['simulate', 'simulate'], ['simulate']])
  })

  test('tries a single endpoint three times, with pauses', async () => {
    const { pool, a, clock } = poolOf(1)
    await pool.identify()
    a.failure = noAnswer()
    const answer = pool.simulate('x')
    answer.catch(() => undefined)
    await clock.advance(0)
    expect(a.work).toHaveLength(1)
    await clock.advance(125)
    expect(a.work).toHaveLength(2)
    await clock.advance(250)
    expect(a.work).toHaveLength(3)
    await expect(answer).rejects.toThrow('no answer')
  })

  test('sends a request that all refuse only once to each', async () => {
    const { pool, a, b, lines, outcome } = poolOf(2)
    await pool.identify()
    const refusal = new RpcError('rejected', 'any', 'bad params', { wasRefused: true })
    a.failure = refusal
    b.failure = refusal
    await expect(outcome(pool.simulate('x'))).rejects.toThrow('bad params')
    expect([a.work, b.work]).toEqual([['simulate'], ['simulate']])
    expect(lines).toEqual([])
  })

  test('uses the next one when the queue of one is full, which is no failure of it', async () => {
    const { pool, a, b, lines } = poolOf(2)
    await pool.identify()
    a.failures.set('simulate', [queueFull])
    await pool.simulate('x')
    await pool.simulate('x')
    expect([a.work, b.work]).toEqual([['simulate', 'simulate'], ['simulate']])
    expect(lines).toEqual([])
    expect(pool.stats().transportErrors1h).toBe(0)
  })

  test('fails at once, after one attempt each, when every queue is full', async () => {
    const { pool, a, b } = poolOf(2)
    await pool.identify()
    for (const endpoint of [a, b]) endpoint.failures.set('simulate', [queueFull])
    await expect(pool.simulate('x')).rejects.toMatchObject({ kind: 'queue_full' })
    expect([a.work, b.work]).toEqual([['simulate'], ['simulate']])
  })

  test('sends nothing to an endpoint until its Retry-After has passed', async () => {
    const { pool, a, clock } = poolOf(1)
    await pool.identify()
    a.failures.set('simulate', [busy(3_000)])
    const answer = pool.simulate('x')
    await clock.advance(2_900)
    expect(a.work).toHaveLength(1)
    await clock.advance(200)
    expect(await answer).toMatchObject({ kind: 'ok' })
  })

  test('fails at once when every endpoint asks for a long Retry-After', async () => {
    const { pool, a, clock } = poolOf(1)
    await pool.identify()
    a.failures.set('simulate', [busy(3_600_000)])
    await expect(pool.simulate('x')).rejects.toThrow('429')
    await expect(pool.simulate('x')).rejects.toThrow('Retry-After')
    await clock.advance(60_000)
    expect(await pool.simulate('x')).toMatchObject({ kind: 'ok' })
  })

  test('probes a failed endpoint in the background until it has recovered', async () => {
    const { pool, a, b, clock, lines } = poolOf(2)
    await pool.identify()
    a.failures.set('simulate', [noAnswer()])
    await pool.simulate('x')
    await clock.advance(1_000)
    await pool.simulate('x')
    await clock.advance(0)
    expect(a.work).toEqual(['simulate', 'tip'])
    expect(b.work).toEqual(['simulate', 'simulate'])
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'info'])
  })

  test('counts the requests without an answer of the last hour', async () => {
    const { pool, a, clock, outcome } = poolOf(1)
    await pool.identify()
    a.failure = noAnswer()
    await outcome(pool.simulate('x').catch(() => undefined))
    expect(pool.stats().transportErrors1h).toBe(3)
    await clock.advance(3_600_000)
    expect(pool.stats().transportErrors1h).toBe(0)
  })
})

describe('the network of an endpoint', () => {
  test('is requested once', async () => {
    const { pool, a } = poolOf(1)
    await Promise.all([pool.simulate('x'), pool.simulate('x')])
    expect(a.requests.filter((method) => method === 'network')).toHaveLength(1)
  })

  test('excludes an endpoint for good when it is another one', async () => {
    const { pool, a, b, lines } = poolOf(2)
    a.passphrase = 'Another network'
    await pool.identify()
    await pool.simulate('x')
    expect([a.work, b.work]).toEqual([[], ['simulate']])
    expect(lines).toEqual([{ level: 'error', endpoint: 'a' }])
  })

  test('fails the pool only when every endpoint serves another one', async () => {
    const { pool, a, b, outcome } = poolOf(2)
    a.passphrase = 'Another network'
    b.failure = noAnswer()
    await pool.identify()
    b.failure = undefined
    b.passphrase = 'Another network'
    const failure = await outcome(pool.simulate('x').catch((error: unknown) => error))
    expect(failure).toMatchObject({ kind: 'wrong_network' })
    await expect(pool.identify()).rejects.toThrow('no RPC endpoint serves the network "A network"')
  })
})

describe('a transaction', () => {
  test('is found when any endpoint finds it', async () => {
    const { pool, b, c } = poolOf(3)
    c.landed.set('x', 99)
    expect(await pool.transaction('x')).toMatchObject({ status: 'SUCCESS', ledger: 99 })
    expect(b.work).toEqual(['transaction'])
  })

  test('is requested from one endpoint only when that finds it', async () => {
    const { pool, a, b } = poolOf(2)
    a.landed.set('x', 99)
    await pool.transaction('x')
    expect(b.work).toEqual([])
  })

  test('is not found in the ledgers that one endpoint retains and none has still to receive', async () => {
    const { pool, a, b, c } = poolOf(3)
    Object.assign(a, { ledger: 100, oldest: 50 })
    Object.assign(b, { ledger: 99, oldest: 20 })
    Object.assign(c, { ledger: 97, oldest: 90 })
    expect(await pool.transaction('x')).toEqual({
      status: 'NOT_FOUND',
      latestLedger: 97,
      latestCloseTime: 1_485,
      oldestLedger: 20,
      oldestCloseTime: 1_100,
    })
  })

  test('is not found by one of two alone before the other one has been out of reach for 30 s', async () => {
    const { pool, a, b, clock } = poolOf(2)
    b.failure = noAnswer()
    expect(await pool.transaction('x')).toMatchObject({ status: 'NOT_FOUND', latestLedger: 0 })
    await clock.advance(29_000)
    a.ledger = 105
    expect(await pool.transaction('x')).toMatchObject({ status: 'NOT_FOUND', latestLedger: 0 })
    await clock.advance(1_000)
    expect(await pool.transaction('x')).toMatchObject({ status: 'NOT_FOUND', latestLedger: 105 })
  })

  // Strangers can have an endpoint refuse simulations: each request for a payment takes one.
  test('is found by an endpoint that has just refused a simulation for a minute', async () => {
    const { pool, a, b, outcome } = poolOf(2)
    await pool.identify()
    a.landed.set('x', 99)
    a.failures.set('simulate', [busy(60_000)])
    await outcome(pool.simulate('x'), 0)
    expect(b.work).toContain('simulate')
    expect(await pool.transaction('x')).toMatchObject({ status: 'SUCCESS', ledger: 99 })
  })

  test('is not found by one endpoint alone while the other one refuses look-ups for a minute', async () => {
    const { pool, a, b } = poolOf(2)
    await pool.identify()
    a.landed.set('x', 99)
    a.failures.set('transaction', [busy(60_000)])
    // The second look-up comes within the second for which the refusal bars them.
    for (let lookUp = 0; lookUp < 2; lookUp++) {
      expect(await pool.transaction('x')).toMatchObject({ status: 'NOT_FOUND', latestLedger: 0 })
    }
    expect(b.work.filter((method) => method === 'transaction')).toHaveLength(2)
  })

  const unreadable = () => new RpcError('unreadable', 'any', 'larger than 4 MiB')
  test.each([
    { when: 'an answer that is refused', change: { ledger: 4_000_000_000 } },
    { when: 'an answer that cannot be read', change: { failure: unreadable() } },
    {
      when: 'an internal error',
      change: { failure: new RpcError('rejected', 'any', 'DB error (-32603)') },
    },
  ])(
    'is in no ledger by one of two alone while the other one sends $when, however long',
    async ({ change }) => {
      const { pool, a, b, clock, outcome } = poolOf(2)
      await pool.identify()
      await pool.latestLedger()
      Object.assign(b, change)
      for (let minute = 0; minute < 5; minute++) {
        a.ledger += 12
        await outcome(pool.simulate('x'))
        expect(await outcome(pool.transaction('x'))).toMatchObject({
          status: 'NOT_FOUND',
          latestLedger: 0,
          latestCloseTime: 0,
        })
        await clock.advance(20_000)
      }
    },
  )

  test('is not found by two endpoints beside one whose answers cannot be read', async () => {
    const { pool, b, c, a } = poolOf(3)
    await pool.identify()
    Object.assign(a, { failure: unreadable() })
    for (const endpoint of [b, c]) endpoint.ledger = 101
    expect(await pool.transaction('x')).toMatchObject({ status: 'NOT_FOUND', latestLedger: 101 })
  })

  test('is not found by one endpoint alone while the queue for the other one is full', async () => {
    const { pool, b } = poolOf(2)
    await pool.identify()
    b.failures.set('transaction', [queueFull])
    expect(await pool.transaction('x')).toMatchObject({ latestLedger: 0 })
    expect(await pool.transaction('x')).toMatchObject({ latestLedger: 100 })
  })

  test('is not found even if another endpoint has stopped 12 ledgers behind', async () => {
    const { pool, b, clock } = poolOf(2)
    b.ledger = 88
    expect(await pool.transaction('x')).toMatchObject({ status: 'NOT_FOUND', latestLedger: 88 })
    await clock.advance(30_000)
    expect(await pool.transaction('x')).toMatchObject({ status: 'NOT_FOUND', latestLedger: 100 })
  })

  test('is not found only in ledgers that each endpoint has whose ledgers go on, however far another one claims to be', async () => {
    const { pool, a, b, clock } = poolOf(2)
    for (let lead = 0; lead <= 60; lead++) {
      // It claims one a second, which closed later than any of the network.
      Object.assign(a, {
        ledger: 100 + 5 * lead,
        startedAt: 1_000 - 20 * lead + (lead > 0 ? 100 : 0),
      })
      b.ledger = 100 + lead
      expect(await pool.transaction('x')).toMatchObject({ latestCloseTime: 1_500 + 5 * lead })
      await clock.advance(5_000)
    }
  })

  test('is no NOT_FOUND when no endpoint can be reached', async () => {
    const { pool, a, b, outcome } = poolOf(2)
    await pool.identify()
    a.failure = noAnswer()
    b.failure = noAnswer()
    await expect(outcome(pool.transaction('x'))).rejects.toThrow('no answer')
  })
})

describe('an envelope', () => {
  test.each(['PENDING', 'DUPLICATE', 'ERROR'] as const)(
    'is sent once when the answer is %s',
    async (status) => {
      const { pool, a, b } = poolOf(2)
      a.sendStatus = status
      expect(await pool.send('x')).toMatchObject({ status })
      expect([a.work, b.work]).toEqual([['send'], []])
    },
  )

  test('is sent to the next one when the first is busy', async () => {
    const { pool, a } = poolOf(2)
    a.sendStatus = 'TRY_AGAIN_LATER'
    expect(await pool.send('x')).toMatchObject({ status: 'PENDING' })
  })

  test('is sent once to each when all are busy, for the caller to send again later', async () => {
    const { pool, a, b, outcome } = poolOf(2)
    a.sendStatus = 'TRY_AGAIN_LATER'
    b.sendStatus = 'TRY_AGAIN_LATER'
    expect(await outcome(pool.send('x'))).toMatchObject({ status: 'TRY_AGAIN_LATER' })
    expect([a.work, b.work]).toEqual([['send'], ['send']])
  })

  test('is not refused when an earlier endpoint got it and did not answer', async () => {
    const { pool, a, b, outcome } = poolOf(2)
    await pool.identify()
    a.failure = noAnswer('sendTransaction')
    b.sendStatus = 'ERROR'
    await expect(outcome(pool.send('x'))).rejects.toThrow('no answer')
  })

  test('is refused when the earlier endpoint never got it', async () => {
    const { pool, a, b, outcome } = poolOf(2)
    await pool.identify()
    a.failure = new RpcError('transport', 'any', 'ECONNREFUSED', { wasRefused: true })
    b.sendStatus = 'ERROR'
    expect(await outcome(pool.send('x'))).toMatchObject({ status: 'ERROR', resultCode: 'txBadSeq' })
  })

  test('is not refused by an endpoint that lags behind', async () => {
    const { pool, a, outcome } = poolOf(1)
    await pool.latestLedger()
    Object.assign(a, { ledger: 99, sendStatus: 'ERROR' })
    await expect(outcome(pool.send('x'))).rejects.toMatchObject({ kind: 'lagging' })
  })
})
