import { describe, expect, test } from 'vitest'
import { asStroops } from '../../../src/core/stroops.ts'
import { Confirmations } from '../../../src/facilitator/confirmations.ts'
import { NetworkTime } from '../../../src/facilitator/network-time.ts'
import type { StellarRpc, TransactionStatus } from '../../../src/stellar/rpc.ts'
import { FakeClock } from '../../support/fake-clock.ts'

/** A ledger that holds what it is told to hold; counts what it is asked. */
class FakeLedger {
  sequence = 10
  readonly applied = new Map<string, number>()
  readonly asked: string[] = []
  failing = false

  readonly rpc: Pick<StellarRpc, 'latestLedger' | 'transaction'> = {
    latestLedger: async () => {
      this.asked.push('tip')
      if (this.failing) throw new Error('unreachable')
      return { sequence: this.sequence, closeTime: 1_000 + 5 * this.sequence, protocolVersion: 29 }
    },
    transaction: async (hash) => {
      this.asked.push(hash)
      return this.#status(hash)
    },
  }

  #status(hash: string): TransactionStatus {
    const range = {
      latestLedger: this.sequence,
      latestCloseTime: 1_000 + 5 * this.sequence,
      oldestLedger: 1,
      oldestCloseTime: 1_005,
    }
    const ledger = this.applied.get(hash)
    if (ledger === undefined) return { ...range, status: 'NOT_FOUND' }
    const applied = { ledger, createdAt: range.latestCloseTime, feeCharged: asStroops(1n) }
    return { ...range, ...applied, status: 'SUCCESS', events: [] }
  }
}

function watching() {
  const clock = new FakeClock()
  const ledger = new FakeLedger()
  const stop = new AbortController()
  const errors: unknown[] = []
  const confirmations = new Confirmations({
    rpc: ledger.rpc,
    time: new NetworkTime(clock),
    clock,
    signal: stop.signal,
    onError: (error) => errors.push(error),
  })
  return { clock, ledger, stop, errors, confirmations }
}

describe('Confirmations', () => {
  test('asks nothing while nobody waits', async () => {
    const { clock, ledger } = watching()
    await clock.advance(60_000)
    expect(ledger.asked).toEqual([])
  })

  test('wakes everybody whose transaction closed, with one look at the ledger for all', async () => {
    const { clock, ledger, confirmations } = watching()
    const waiting = ['a', 'b', 'c'].map((hash) => confirmations.watch(hash, 30_000, 10))
    await clock.advance(1)
    expect(ledger.asked).toEqual(['tip'])

    for (const hash of ['a', 'b', 'c']) ledger.applied.set(hash, 11)
    ledger.sequence = 11
    await clock.advance(6_000)
    const statuses = await Promise.all(waiting)
    expect(statuses.map((status) => status?.status)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    expect(ledger.asked.filter((asked) => asked === 'a')).toHaveLength(1)
    expect(clock.sleeping).toBeLessThanOrEqual(1)
  })

  test('does not look a transaction up again until another ledger closes', async () => {
    const { clock, ledger, confirmations } = watching()
    const waiting = confirmations.watch('a', 4_000)
    await clock.advance(4_000)
    expect((await waiting)?.status).toBe('NOT_FOUND')
    expect(ledger.asked.filter((asked) => asked === 'a')).toHaveLength(1)
  })

  test('goes on after the network was away', async () => {
    const { clock, ledger, errors, confirmations } = watching()
    ledger.failing = true
    const waiting = confirmations.watch('a', 30_000)
    await clock.advance(3_000)
    expect(errors.length).toBeGreaterThan(0)
    ledger.failing = false
    ledger.applied.set('a', 10)
    await clock.advance(2_000)
    expect((await waiting)?.status).toBe('SUCCESS')
  })

  test('says that it knows nothing when no look succeeded in time', async () => {
    const { clock, ledger, confirmations } = watching()
    ledger.failing = true
    const waiting = confirmations.watch('a', 3_000)
    await clock.advance(3_000)
    expect(await waiting).toBeUndefined()
  })

  test('lets go of everybody when it is told to stop', async () => {
    const { clock, stop, confirmations } = watching()
    const waiting = confirmations.watch('a', 30_000)
    await clock.advance(10)
    stop.abort(new Error('stopping'))
    await expect(waiting).rejects.toThrow('stopping')
    await clock.advance(1)
    expect(clock.sleeping).toBe(0)
  })
})
