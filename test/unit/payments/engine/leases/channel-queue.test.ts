import { describe, expect, test, vi } from 'vitest'
import { ChannelQueue } from '../../../../../src/payments/engine/leases/channel-queue.ts'
import type { QueuedClaim } from '../../../../../src/payments/engine/leases/fair-order.ts'
import type { LeaseOutcome } from '../../../../../src/payments/store/settlements/claim/lease-channels.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const WAIT_MS = 5_000

const claimOf = (payer: string, nonce = '1', payTo = 'seller'): QueuedClaim => ({
  ...{ owner: 'one', attempt: 1, payTo },
  key: { network: 'stellar:testnet', payer, nonce },
})

const nameOf = ({ key }: QueuedClaim): string => `${key.payer}${key.nonce}`

/**
 * A queue over a store that gives its free channels to the claims in the order of the statement, and its kept ones to
 * payers that have got none before.
 */
function queueOver(free: string[] = [], kept: string[] = []) {
  const clock = new FakeClock()
  const stop = new AbortController()
  const statements: string[][] = []
  const answers = new Map<string, string>()
  const lost = new Set<string>()
  const holders = new Set<string>()
  const hooks = { beforeAnswer: async () => undefined as unknown }
  const leaseFor = (claim: QueuedClaim): LeaseOutcome => {
    if (lost.has(nameOf(claim))) return { kind: 'claim_lost' }
    const { payer } = claim.key
    const account = free.shift() ?? (holders.has(payer) ? undefined : kept.shift())
    if (account === undefined) return { kind: 'none_free' }
    holders.add(payer)
    return { kind: 'leased', channel: { account, index: 0, sequence: undefined } }
  }
  const queue = new ChannelQueue({
    ...{ clock, waitMs: WAIT_MS, signal: stop.signal },
    lease: async (claims) => {
      statements.push(claims.map(nameOf))
      const outcomes = claims
        .map(leaseFor)
        .map(
          (outcome): LeaseOutcome =>
            outcome.kind === 'none_free' && kept.length > 0 ? { kind: 'kept' } : outcome,
        )
      await hooks.beforeAnswer()
      return outcomes
    },
  })
  const join = (...claims: readonly QueuedClaim[]) =>
    Promise.all(
      claims.map(async (claim) => {
        const outcome = await queue.wait(claim).catch((error: Error) => error.message)
        const answer =
          typeof outcome === 'string' || outcome.kind !== 'leased'
            ? outcome
            : outcome.channel.account
        answers.set(nameOf(claim), typeof answer === 'string' ? answer : answer.kind)
      }),
    )
  return { queue, clock, stop, statements, answers, lost, hooks, free, join }
}

describe('ChannelQueue', () => {
  test('gives a free channel at once', async () => {
    const { join, answers } = queueOver(['one'])
    await join(claimOf('a'))
    expect(answers.get('a1')).toBe('one')
  })

  test('refuses a claim that became late while the store answered, without a pause', async () => {
    const { clock, answers, hooks, join } = queueOver()
    const sleeps = vi.spyOn(clock, 'sleep')
    hooks.beforeAnswer = async () => clock.jump(WAIT_MS + 1)
    const waiting = join(claimOf('a'))
    await clock.advance(0)
    await waiting
    expect(answers.get('a1')).toBe('none_free')
    expect(sleeps.mock.calls.map(([ms]) => ms)).toEqual([0])
  })

  test('asks once for all that wait, when a channel was freed here, and serves them in order', async () => {
    const { queue, clock, statements, answers, free, join } = queueOver()
    const waiting = join(claimOf('a'), claimOf('b'), claimOf('c'))
    await clock.advance(0)
    expect(statements).toEqual([['a1']])

    free.push('one', 'two')
    queue.freed()
    await clock.advance(0)
    expect(statements.slice(1)).toEqual([['a1', 'b1', 'c1']])
    expect([...answers]).toEqual([
      ['a1', 'one'],
      ['b1', 'two'],
    ])
    free.push('three')
    queue.freed()
    await waiting
    expect(queue.length).toBe(0)
  })

  test('asks again at once for a channel that was freed during a statement', async () => {
    const { queue, statements, answers, free, hooks, join } = queueOver()
    hooks.beforeAnswer = async () => {
      hooks.beforeAnswer = async () => undefined
      free.push('one')
      queue.freed()
    }
    await join(claimOf('a'))
    expect(statements).toHaveLength(2)
    expect(answers.get('a1')).toBe('one')
  })

  test('retries regularly, since a notification may be lost', async () => {
    const { clock, answers, free, join } = queueOver()
    const waiting = join(claimOf('a'))
    await clock.advance(100)
    free.push('one')
    await clock.advance(1_000)
    await waiting
    expect(answers.get('a1')).toBe('one')
  })

  test('asks for one claim of each payer before a second of any, when more wait than it can name', async () => {
    const { queue, clock, statements, answers, free, join } = queueOver()
    const greedy = Array.from({ length: 100 }, (_, index) => claimOf('greedy', `${index}`))
    void join(...greedy, claimOf('modest'))
    await clock.advance(0)
    queue.freed()
    await clock.advance(0)
    expect(statements.at(-1)).toHaveLength(100)
    expect(statements.at(-1)?.slice(0, 3)).toEqual(['greedy0', 'modest1', 'greedy1'])
    free.push('one', 'two')
    queue.freed()
    await clock.advance(0)
    expect([...answers]).toEqual([
      ['greedy0', 'one'],
      ['modest1', 'two'],
    ])
  })

  test('asks at once for a new claim while channels are kept, and leaves those that are held back waiting', async () => {
    const { queue, clock, statements, answers, join } = queueOver(['one'], ['kept'])
    void join(claimOf('greedy'), claimOf('greedy', '2'), claimOf('greedy', '3'))
    await clock.advance(0)
    const asked = statements.length
    void join(claimOf('modest'))
    await clock.advance(0)
    expect(statements).toHaveLength(asked + 1)
    expect([...answers]).toEqual([
      ['greedy1', 'one'],
      ['modest1', 'kept'],
    ])
    expect(queue.length).toBe(2)
    void join(claimOf('late'))
    await clock.advance(0)
    expect(statements).toHaveLength(asked + 1)
  })

  test('asks again at once for a claim that came while the statement found kept channels', async () => {
    const { clock, answers, hooks, join } = queueOver(['one'], ['kept'])
    await join(claimOf('greedy'))
    hooks.beforeAnswer = async () => {
      hooks.beforeAnswer = async () => undefined
      void join(claimOf('modest'))
    }
    void join(claimOf('greedy', '2'))
    await clock.advance(0)
    expect(answers.get('modest1')).toBe('kept')
  })

  test('refuses a claim that was held back for all of its wait as one for which none was free', async () => {
    const { clock, answers, join } = queueOver(['one'], ['kept'])
    const waiting = join(claimOf('greedy'), claimOf('greedy', '2'))
    await clock.advance(WAIT_MS)
    await waiting
    expect(answers.get('greedy2')).toBe('none_free')
  })

  test('reports a claim that was lost, and serves the others', async () => {
    const { answers, lost, join, clock } = queueOver(['one'])
    lost.add('a1')
    const waiting = join(claimOf('a'), claimOf('b'))
    await clock.advance(0)
    await waiting
    expect([...answers]).toEqual([
      ['a1', 'claim_lost'],
      ['b1', 'one'],
    ])
  })

  test('lets 5,000 claims leave when their wait is over, without another statement for them', async () => {
    const { queue, clock, statements, answers, join } = queueOver()
    const waiting = join(...Array.from({ length: 5_000 }, (_, index) => claimOf('a', `${index}`)))
    await clock.advance(WAIT_MS - 1)
    const asked = statements.length
    await clock.advance(1)
    await waiting
    expect(statements).toHaveLength(asked)
    expect(new Set(answers.values())).toEqual(new Set(['none_free']))
    expect(queue.length).toBe(0)
    expect(clock.sleeping).toBe(0)
  })

  test('waits for the outcome of a statement beyond the time: the claim may have got a channel', async () => {
    const { clock, answers, free, hooks, join } = queueOver(['one'])
    hooks.beforeAnswer = () => clock.sleep(WAIT_MS + 1_000)
    const waiting = join(claimOf('a'))
    await clock.advance(WAIT_MS)
    expect(answers.size).toBe(0)
    await clock.advance(1_000)
    await waiting
    expect(answers.get('a1')).toBe('one')
    expect(free).toEqual([])
  })

  test('rejects the claims of a statement that failed, and asks for the next', async () => {
    const { clock, answers, free, hooks, join } = queueOver()
    hooks.beforeAnswer = async () => {
      hooks.beforeAnswer = async () => undefined
      throw new Error('no database')
    }
    const waiting = join(claimOf('a'), claimOf('b'))
    free.push('one')
    await clock.advance(0)
    await waiting
    expect([...answers]).toEqual([
      ['a1', 'no database'],
      ['b1', 'one'],
    ])
  })

  test('rejects all claims when the signal aborts', async () => {
    const { clock, stop, answers, join } = queueOver()
    const waiting = join(claimOf('a'), claimOf('b'))
    await clock.advance(10)
    stop.abort(new Error('stopping'))
    await waiting
    expect([...answers.values()]).toEqual(['stopping', 'stopping'])
    expect(clock.sleeping).toBe(0)
  })

  test('reports the pace of leases once claims have waited for that long', async () => {
    const { queue, clock, free, join } = queueOver()
    void join(...Array.from({ length: 9 }, (_, index) => claimOf('a', `${index}`)))
    for (let second = 0; second < 4; second++) {
      expect(queue.pace.perSecond(4_000)).toBeUndefined()
      free.push('one', 'two')
      queue.freed()
      await clock.advance(1_000)
    }
    expect(queue.pace.perSecond(4_000)).toBe(2)
    free.push('one')
    queue.freed()
    await clock.advance(0)
    expect(queue.length).toBe(0)
    expect(queue.pace.perSecond(4_000)).toBeUndefined()
  })
})
