import { describe, expect, test } from 'vitest'
import { watchedContracts } from '../../../../src/diagnosis/facts/watched-contracts.ts'
import { CounterWriter } from '../../../../src/payments/health/network/counter-writer.ts'
import { LeaseWaits } from '../../../../src/payments/health/network/lease-waits.ts'
import { NetworkCounters } from '../../../../src/payments/health/network/network-counters.ts'
import { PolledValue } from '../../../../src/payments/health/network/polled-value.ts'
import type { HourCountRow } from '../../../../src/payments/store/hour-counts.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

describe('PolledValue', () => {
  const clock = new FakeClock()
  const stop = new AbortController()
  const reading = (read: (signal: AbortSignal) => Promise<number>) => {
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    return { errors, of: new PolledValue({ read, clock, withinMs: 1_000, onError }) }
  }

  test('keeps the last value read, its time, and the number of failures since', async () => {
    const answers = [1, new Error('away'), new Error('away'), 2]
    const { of, errors } = reading(async () => {
      const answer = answers.shift()
      if (typeof answer !== 'number') throw answer
      return answer
    })
    expect(of.latest).toBeUndefined()
    expect(of.misses).toBe(0)
    await of.refresh(stop.signal)
    const readAt = clock.now()
    expect(of.latest).toEqual({ value: 1, readAt })
    await clock.advance(5)
    await of.refresh(stop.signal)
    await of.refresh(stop.signal)
    expect(of.latest).toEqual({ value: 1, readAt })
    expect(of.misses).toBe(2)
    expect(errors).toHaveLength(2)
    await of.refresh(stop.signal)
    expect(of).toMatchObject({ misses: 0, latest: { value: 2, readAt: readAt + 5 } })
  })

  test('reports a read that hangs, and starts no other until it ends', async () => {
    let reads = 0
    let signal: AbortSignal | undefined
    const { of, errors } = reading((given) => {
      reads += 1
      signal = given
      return new Promise(() => undefined)
    })
    const refreshed = of.refresh(stop.signal)
    await clock.advance(999)
    expect(of.misses).toBe(0)
    await clock.advance(1)
    await refreshed
    expect(of.misses).toBe(1)
    expect(String(errors[0])).toContain('no answer within 1000 ms')
    expect(signal?.aborted).toBe(true)
    await of.refresh(stop.signal)
    expect({ reads, misses: of.misses }).toEqual({ reads: 1, misses: 2 })
  })

  test('shares one read among concurrent refreshes', async () => {
    let reads = 0
    const { of } = reading(async () => {
      reads += 1
      return reads
    })
    await Promise.all([of.refresh(stop.signal), of.refresh(stop.signal)])
    expect({ reads, latest: of.latest?.value }).toEqual({ reads: 1, latest: 1 })
  })

  test('ends without an error when its signal aborts', async () => {
    const over = new AbortController()
    const { of, errors } = reading(() => new Promise(() => undefined))
    const refreshed = of.refresh(over.signal)
    over.abort(new Error('stop'))
    await refreshed
    expect(errors).toEqual([])
    expect(clock.sleeping).toBe(0)
  })
})

describe('LeaseWaits', () => {
  test('has no percentile without waits', () => {
    expect(new LeaseWaits(new FakeClock()).p95()).toBeUndefined()
  })

  test('gives the 95th percentile', () => {
    const waits = new LeaseWaits(new FakeClock())
    for (let ms = 100; ms >= 1; ms -= 1) waits.add(ms)
    expect(waits.p95()).toBe(95)
    const one = new LeaseWaits(new FakeClock())
    one.add(7)
    expect(one.p95()).toBe(7)
  })

  test('drops waits after an hour, and the oldest when there are too many', async () => {
    const clock = new FakeClock()
    const waits = new LeaseWaits(clock)
    waits.add(5_000)
    await clock.advance(3_599_999)
    expect(waits.p95()).toBe(5_000)
    await clock.advance(1)
    expect(waits.p95()).toBeUndefined()
    for (let i = 0; i < 3_000; i += 1) waits.add(i < 900 ? 9_999 : 1)
    expect(waits.p95()).toBe(1)
  })
})

describe('CounterWriter', () => {
  const opened = () => {
    const clock = new FakeClock()
    const counters = new NetworkCounters('stellar:testnet', clock)
    const written: HourCountRow[][] = []
    const errors: unknown[] = []
    const stop = new AbortController()
    const state = { isAway: false }
    const writer = new CounterWriter({
      counters: [counters],
      addHourCounts: async (rows) => {
        if (state.isAway) throw new Error('away')
        written.push([...rows])
      },
      clock,
      everyMs: 5_000,
      signal: stop.signal,
      onError: (error) => errors.push(error),
    })
    return { clock, counters, written, errors, stop, state, writer }
  }
  const row = (kind: HourCountRow['kind'], count: number) => ({
    network: 'stellar:testnet',
    kind,
    count,
  })

  test('writes the counts, once, every few seconds', async () => {
    const { clock, counters, written, stop, writer } = opened()
    writer.start()
    counters.count('repeat')
    counters.count('repeat')
    counters.count('lease_timeout')
    await clock.advance(4_999)
    expect(written).toEqual([])
    await clock.advance(1)
    expect(written).toEqual([[row('repeat', 2), row('lease_timeout', 1)]])
    await clock.advance(5_000)
    expect(written[1]).toEqual([])
    stop.abort()
    await clock.advance(10_000)
    expect(written).toHaveLength(2)
  })

  test('keeps the counts of a failed write, with those added since', async () => {
    const { counters, written, errors, state, writer } = opened()
    counters.count('repeat')
    state.isAway = true
    await writer.write()
    expect(errors).toHaveLength(1)
    counters.count('repeat')
    state.isAway = false
    await writer.write()
    expect(written).toEqual([[row('repeat', 2)]])
  })
})

describe('watchedContracts', () => {
  const asset = (symbol: string, contract: string) => ({ symbol, contract })

  test.each([
    { when: 'nothing is listed', assets: [asset('USDC', 'C1')], listed: [], are: ['USDC=C1'] },
    {
      when: 'something else is listed',
      assets: [asset('USDC', 'C1')],
      listed: [{ alias: 'vault', id: 'C2' }],
      are: ['vault=C2', 'USDC=C1'],
    },
    {
      when: 'the administrator gives an asset another name',
      assets: [asset('USDC', 'C1')],
      listed: [{ alias: 'dollar', id: 'C1' }],
      are: ['dollar=C1'],
    },
    {
      when: 'two assets share a symbol',
      assets: [asset('USDC', 'CAAAA'), asset('USDC', 'CBBBB')],
      listed: [],
      are: ['USDC=CAAAA', 'USDC-BBBB=CBBBB'],
    },
    {
      when: 'the administrator gave the symbol to another contract',
      assets: [asset('USDC', 'CAAAA')],
      listed: [{ alias: 'USDC', id: 'CBBBB' }],
      are: ['USDC=CBBBB', 'USDC-AAAA=CAAAA'],
    },
  ])('are $are when $when', ({ assets, listed, are }) => {
    expect(watchedContracts(assets, listed).map(({ alias, id }) => `${alias}=${id}`)).toEqual(are)
  })
})
