import { describe, expect, test } from 'vitest'
import { Confirmations } from '../../../../../src/payments/engine/follow/confirmations.ts'
import { NetworkTime } from '../../../../../src/payments/engine/network/network-time.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import {
  type AppliedTransaction,
  RpcError,
  type StellarRpc,
} from '../../../../../src/stellar/rpc/rpc.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

/** A ledger with the transactions that a test sets; records the requests. */
class FakeLedger {
  sequence = 10
  readonly applied = new Map<string, number>()
  readonly requests: string[] = []
  failing = false
  /** As an endpoint that does not retain the requested ledgers, or lacks the method. */
  refusesBatches = false
  /** Transactions of one page of a search. */
  pageSize = Number.POSITIVE_INFINITY
  /** Pages after the first wait for it. */
  nextPages: Promise<void> = Promise.resolve()

  readonly rpc: Pick<StellarRpc, 'latestLedger' | 'transaction' | 'transactionsSince'> = {
    latestLedger: async () => {
      this.requests.push('tip')
      if (this.failing) throw new Error('unreachable')
      return { sequence: this.sequence, closeTime: 1_000 + 5 * this.sequence, protocolVersion: 29 }
    },
    transaction: async (hash) => {
      this.requests.push(hash)
      return this.#applied(hash) ?? { ...this.#range, status: 'NOT_FOUND' }
    },
    transactionsSince: async (start, hashes) => {
      const isFirst = 'startLedger' in start
      this.requests.push(isFirst ? `since ${start.startLedger - 1}` : `page ${start.cursor}`)
      if (this.refusesBatches) throw new RpcError('rejected', 'getTransactions', 'no')
      const from = isFirst ? 0 : Number(start.cursor)
      const later = [...this.applied.keys()].filter(
        (hash) => !isFirst || (this.applied.get(hash) ?? 0) >= start.startLedger,
      )
      if (!isFirst) await this.nextPages
      const page = later.slice(from, from + this.pageSize)
      const found = page.flatMap((hash) => {
        const status = this.#applied(hash)
        return status && hashes.has(hash) ? [[hash, status] as const] : []
      })
      const common = { ...this.#range, found: new Map(found) }
      const end = from + this.pageSize
      return end < later.length
        ? { ...common, throughLedger: this.sequence - 1, next: { cursor: String(end) } }
        : { ...common, throughLedger: this.sequence }
    },
  }

  get #range() {
    return {
      latestLedger: this.sequence,
      latestCloseTime: 1_000 + 5 * this.sequence,
      oldestLedger: 1,
      oldestCloseTime: 1_005,
    }
  }

  #applied(hash: string): AppliedTransaction | undefined {
    const ledger = this.applied.get(hash)
    if (ledger === undefined) return undefined
    const applied = { ledger, createdAt: this.#range.latestCloseTime, feeCharged: asStroops(1n) }
    return { ...this.#range, ...applied, status: 'SUCCESS', events: [] }
  }
}

/** Recorded at ledger 10, which closed at 1,050. */
const recorded = { recordedAtLedger: 10, maxTime: 1_100 }
const many = Array.from({ length: 100 }, (_, i) => `hash ${i}`)

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
  test('sends no request without waiters', async () => {
    const { clock, ledger } = watching()
    await clock.advance(60_000)
    expect(ledger.requests).toEqual([])
  })

  test('resolves all waiters whose transactions landed, with one poll of the ledger', async () => {
    const { clock, ledger, confirmations } = watching()
    const waiting = ['a', 'b', 'c'].map((hash) => confirmations.watch(hash, 30_000, recorded))
    await clock.advance(1)
    expect(ledger.requests).toEqual(['tip'])

    for (const hash of ['a', 'b', 'c']) ledger.applied.set(hash, 11)
    ledger.sequence = 11
    await clock.advance(6_000)
    const statuses = await Promise.all(waiting)
    expect(statuses.map((status) => status?.status)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    expect(ledger.requests.filter((request) => request === 'a')).toHaveLength(1)
    expect(clock.sleeping).toBeLessThanOrEqual(1)
  })

  test('does not look a transaction up again until another ledger closes', async () => {
    const { clock, ledger, confirmations } = watching()
    const waiting = confirmations.watch('a', 4_000)
    await clock.advance(4_000)
    expect((await waiting)?.status).toBe('NOT_FOUND')
    expect(ledger.requests.filter((request) => request === 'a')).toHaveLength(1)
  })

  test('continues after an outage of the network', async () => {
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

  test('resolves with undefined when no look-up succeeded in time', async () => {
    const { clock, ledger, confirmations } = watching()
    ledger.failing = true
    const waiting = confirmations.watch('a', 3_000)
    await clock.advance(3_000)
    expect(await waiting).toBeUndefined()
  })

  test('searches for many in one batch after each ledger, and for none twice', async () => {
    const { clock, ledger, confirmations } = watching()
    const waiting = many.map((hash) => confirmations.watch(hash, 30_000, recorded))
    await clock.advance(1)
    for (const hash of many.slice(0, 60)) ledger.applied.set(hash, 11)
    ledger.sequence = 11
    await clock.advance(4_000)
    for (const hash of many.slice(60)) ledger.applied.set(hash, 12)
    ledger.sequence = 12
    await clock.advance(4_000)
    const statuses = await Promise.all(waiting)
    expect(new Set(statuses.map((status) => status?.status))).toEqual(new Set(['SUCCESS']))
    expect(ledger.requests.filter((request) => request !== 'tip')).toEqual(['since 10', 'since 11'])
  })

  test('tells those of a page at once, and searches the next page for the others', async () => {
    const { clock, ledger, confirmations } = watching()
    ledger.pageSize = 40
    const arrived = Promise.withResolvers<void>()
    ledger.nextPages = arrived.promise
    for (const hash of many) ledger.applied.set(hash, 11)
    ledger.sequence = 11
    const told: string[] = []
    const waiting = many.map(async (hash) => {
      const status = await confirmations.watch(hash, 30_000, recorded)
      told.push(hash)
      return status?.status
    })
    await clock.advance(1)
    expect(told).toEqual(many.slice(0, 40))
    arrived.resolve()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['SUCCESS']))
    expect(ledger.requests).toEqual(['tip', 'since 10', 'page 40', 'page 80'])
  })

  test('continues from the last ledger searched when the same hashes are watched again', async () => {
    const { clock, ledger, confirmations } = watching()
    ledger.sequence = 11
    const watch = () => many.map((hash) => confirmations.watch(hash, 3_000, recorded))
    const first = watch()
    await clock.advance(3_000)
    // A batch proves nothing.
    expect(new Set(await Promise.all(first))).toEqual(new Set([undefined]))
    const second = watch()
    await clock.advance(1_500)
    for (const hash of many) ledger.applied.set(hash, 12)
    ledger.sequence = 12
    await clock.advance(1_500)
    await Promise.all(second)
    expect(ledger.requests.filter((request) => request !== 'tip')).toEqual(['since 10', 'since 11'])
  })

  test('looks up each one whose max time has passed by its hash', async () => {
    const { clock, ledger, confirmations } = watching()
    const waiting = many.map((hash) => confirmations.watch(hash, 3_000, recorded))
    ledger.sequence = 21
    await clock.advance(3_000)
    const statuses = await Promise.all(waiting)
    expect(statuses.every((status) => status?.status === 'NOT_FOUND')).toBe(true)
    expect(ledger.requests.filter((request) => request.startsWith('since'))).toEqual([])
    expect(new Set(ledger.requests)).toEqual(new Set(['tip', ...many]))
  })

  test('looks up each one by its hash when the endpoint refuses the batch', async () => {
    const { clock, ledger, errors, confirmations } = watching()
    ledger.refusesBatches = true
    const waiting = many.map((hash) => confirmations.watch(hash, 30_000, recorded))
    for (const hash of many) ledger.applied.set(hash, 11)
    ledger.sequence = 11
    await clock.advance(1_000)
    const statuses = await Promise.all(waiting)
    expect(statuses.every((status) => status?.status === 'SUCCESS')).toBe(true)
    expect(errors).toHaveLength(1)
  })

  test('waits after a network reset, and looks up again after the max time', async () => {
    const { clock, ledger, confirmations } = watching()
    ledger.sequence = 2
    const waiting = confirmations.watch('a', 3_000, { recordedAtLedger: 10, maxTime: 1_015 })
    await clock.advance(1_000)
    expect(new Set(ledger.requests)).toEqual(new Set(['tip']))
    ledger.sequence = 4
    await clock.advance(2_000)
    expect(await waiting).toMatchObject({ status: 'NOT_FOUND', latestLedger: 4 })
  })

  test('rejects all waiters when its signal aborts', async () => {
    const { clock, stop, confirmations } = watching()
    const waiting = confirmations.watch('a', 30_000)
    await clock.advance(10)
    stop.abort(new Error('stopping'))
    await expect(waiting).rejects.toThrow('stopping')
    await clock.advance(1)
    expect(clock.sleeping).toBe(0)
  })
})
