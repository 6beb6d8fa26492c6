import { describe, expect, it } from 'vitest'
import type { SettlementKey } from '../../../../src/payments/store/settlements/settlement.ts'
import type { UsageBatch } from '../../../../src/payments/store/usage/add.ts'
import {
  KEPT_DAYS,
  type Metered,
  UsageMeter,
  type UsageQueries,
} from '../../../../src/payments/usage/usage-meter.ts'
import { StoreUnavailable } from '../../../../src/platform/database/postgres/unavailable.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const request: Metered = {
  subject: 'public',
  network: 'stellar:testnet',
  operation: 'verify',
  outcome: 'valid',
  asset: 'CASSET',
  isAccepted: true,
}
const key: SettlementKey = { network: 'stellar:testnet', payer: 'GPAYER', nonce: '1' }

/** A store that a test makes fail before or after it has added a batch. */
class FlakyStore implements UsageQueries {
  readonly batches: UsageBatch[] = []
  readonly pending: SettlementKey[] = []
  readonly forgotten: number[] = []
  fails: 'never' | 'before' | 'after' = 'never'
  /** Refuses whatever it is given, though it is not away. */
  refuses = false
  /** Its statement takes too long. */
  lockedNonce = ''

  async add(batch: UsageBatch): Promise<void> {
    if (this.fails === 'before') throw new StoreUnavailable('no store')
    if (this.refuses) throw new Error('refused')
    this.batches.push(batch)
    if (this.fails === 'after') throw new StoreUnavailable('no answer')
  }
  async countPending(pending: SettlementKey): Promise<void> {
    if (this.fails !== 'never') throw new StoreUnavailable('no store')
    if (pending.nonce === this.lockedNonce)
      throw new StoreUnavailable('canceled by statement timeout')
    this.pending.push(pending)
  }
  async deleteOld(keptDays: number): Promise<number> {
    this.forgotten.push(keptDays)
    return 0
  }
  /** Requests, each batch taken once as the store does. */
  get requests(): number {
    const once = new Map(this.batches.map((batch) => [batch.batch, batch]))
    return [...once.values()]
      .flatMap(({ counts }) => counts)
      .reduce((sum, { requests }) => sum + requests, 0)
  }
}

function world() {
  const store = new FlakyStore()
  const clock = new FakeClock(Date.parse('2026-11-21T23:59:59Z'))
  const errors: unknown[] = []
  const lost: number[] = []
  const meter = new UsageMeter({
    usage: store,
    clock,
    writer: 'one',
    onError: (error) => errors.push(error),
    onLost: (requests) => lost.push(requests),
  })
  return { store, clock, errors, lost, meter }
}

describe('the usage meter', () => {
  it('counts like requests together, by the day in UTC', async () => {
    const { store, clock, meter } = world()
    meter.count(request)
    meter.count(request)
    meter.count({ ...request, outcome: 'invalid' })
    await clock.advance(1_000)
    meter.count(request)
    await meter.flush()
    const { isAccepted: _, ...labels } = request
    expect(store.batches).toEqual([
      {
        writer: 'one',
        batch: 1,
        counts: [
          { ...labels, day: '2026-11-21', requests: 2 },
          { ...labels, day: '2026-11-21', requests: 1, outcome: 'invalid' },
          { ...labels, day: '2026-11-22', requests: 1 },
        ],
      },
    ])
  })

  it('writes nothing when nothing was counted', async () => {
    const { store, meter } = world()
    await meter.flush()
    expect(store.batches).toEqual([])
  })

  it('writes every five seconds, and when disposed', async () => {
    const { store, clock, meter } = world()
    meter.start()
    meter.count(request)
    await clock.advance(5_000)
    expect(store.requests).toBe(1)
    meter.count(request)
    await meter[Symbol.asyncDispose]()
    expect(store.requests).toBe(2)
    expect(store.forgotten[0]).toBe(KEPT_DAYS)
  })

  it.each(['before', 'after'] as const)(
    'keeps what a store that failed %s writing may not have, and writes it under the same number',
    async (fails) => {
      const { store, errors, meter } = world()
      store.fails = fails
      meter.count(request)
      await meter.flush()
      meter.count(request)
      await meter.flush()
      expect(errors).toHaveLength(2)
      store.fails = 'never'
      await meter.flush()
      expect(store.requests).toBe(2)
      const last = store.batches.slice(-2).map(({ batch }) => batch)
      expect(last).toEqual([1, 2])
    },
  )

  it('counts a pending settlement once, and retries until the store has confirmed it', async () => {
    const { store, meter } = world()
    store.fails = 'before'
    meter.countPending(key)
    await meter.flush()
    store.fails = 'never'
    meter.countPending(key)
    await meter.flush()
    await meter.flush()
    expect(store.pending).toEqual([key])
  })

  it('writes early when half full, and drops counts when full', async () => {
    const { store, lost, meter } = world()
    store.fails = 'before'
    for (let index = 0; index < 25_000; index++) {
      meter.count({ ...request, asset: `C${index}` })
    }
    store.fails = 'never'
    await meter.flush()
    await meter.flush()
    expect(store.requests + lost.reduce((sum, requests) => sum + requests, 0)).toBe(25_000)
    expect(store.requests).toBeGreaterThanOrEqual(10_000)
    expect(store.requests).toBeLessThanOrEqual(20_000)
  })

  it('counts the others while the statement of one pending settlement takes too long', async () => {
    const { store, meter } = world()
    store.lockedNonce = '1'
    meter.countPending(key)
    meter.countPending({ ...key, nonce: '2' })
    meter.count(request)
    await meter.flush()
    await meter.flush()
    expect(store.pending).toEqual([{ ...key, nonce: '2' }])
    expect(store.requests).toBe(1)
  })

  it('keeps a bounded number of counts that the store refuses, and counts the others', async () => {
    const { store, lost, meter } = world()
    store.refuses = true
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 900; index++) {
        meter.count({ ...request, asset: `C${round} ${index}` })
      }
      await meter.flush()
    }
    store.refuses = false
    await meter.flush()
    expect(store.requests).toBe(1_000)
    expect(lost.reduce((sum, requests) => sum + requests, 0)).toBe(1_700)
  })
})
