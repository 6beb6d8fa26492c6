import type { SettleResponse } from '@x402/core/types'
import { describe, expect, test, vi } from 'vitest'
import type { DeliveryStore } from '../../../../src/selling/delivery/delivery-store.ts'
import { MemoryDeliveryStore } from '../../../../src/selling/delivery/memory-store.ts'
import {
  type Claim,
  Deliveries,
  type DeliveryDeps,
  type Outcome,
  type Work,
} from '../../../../src/selling/mcp/deliver-once.ts'
import { priceFor } from '../../../support/stock/stock-client.ts'

const price = priceFor('GA')
const claim: Claim = { key: 's', payment: 'p', call: 'c', id: undefined }
const receipt: SettleResponse = { success: true, transaction: 'hash', network: 'stellar:testnet' }
const result = { content: [{ type: 'text', text: 'goods' }] }
const answered = {
  kind: 'answered',
  result: { ...result, _meta: { 'x402/payment-response': receipt } },
}
const failed: SettleResponse = { ...receipt, success: false, errorReason: 'insufficient_funds' }

/** Time passes by sleeping alone. */
function newClock() {
  let now = 0
  return {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
  }
}

const workOf = (changes: Partial<Work> = {}) => ({
  make: vi.fn<Work['make']>(changes.make ?? (async () => ({ price, result }))),
  settle: vi.fn<Work['settle']>(changes.settle ?? (async () => receipt)),
})

/** Two processes that share a store. */
function open(changes: Partial<DeliveryDeps> = {}) {
  const clock = newClock()
  const onError = vi.fn()
  const store = new MemoryDeliveryStore({ clock })
  const deps = { store, clock, keepMs: 86_400_000, onError, ...changes }
  return { ...deps, here: new Deliveries(deps), there: new Deliveries(deps) }
}

test('repeats get the answer of the first, in this process and in others', async () => {
  const { here, there } = open()
  const work = workOf()
  expect(await here.once(claim, work)).toEqual(answered)
  expect(await here.once(claim, work)).toEqual(answered)
  expect(await there.once(claim, work)).toEqual(answered)
  expect(work.make).toHaveBeenCalledOnce()
  expect(work.settle).toHaveBeenCalledOnce()
})

test('calls at the same moment share one run', async () => {
  const { here } = open()
  const work = workOf()
  const outcomes = await Promise.all([here.once(claim, work), here.once(claim, work)])
  expect(outcomes).toEqual([answered, answered])
  expect(work.make).toHaveBeenCalledOnce()
})

test.each([
  ['for another call', { call: 'another' }],
  ['in another wrapping', { payment: 'another' }],
])('what was signed once does not pay %s, at the same moment or later', async (_, change) => {
  const { here, there } = open()
  const work = workOf()
  const used = { kind: 'refused', reason: 'payment_used_for_another_call' }
  const first = here.once(claim, work)
  expect(await here.once({ ...claim, ...change }, work)).toEqual(used)
  await first
  expect(await there.once({ ...claim, ...change }, work)).toEqual(used)
  expect(work.make).toHaveBeenCalledOnce()
})

describe('a process that ends', () => {
  test('after the tool ran: another one settles what it made', async () => {
    const { here, there } = open()
    const stuck = workOf({ settle: () => new Promise(() => {}) })
    void here.once(claim, stuck)
    await vi.waitFor(() => expect(stuck.settle).toHaveBeenCalled())
    const work = workOf()
    expect(await there.once(claim, work)).toEqual(answered)
    expect(work.make).not.toHaveBeenCalled()
  })

  test('while the tool runs: another one waits, and in the end begins anew', async () => {
    const { here, there, clock } = open()
    const stuck = workOf({ make: () => new Promise(() => {}) })
    void here.once(claim, stuck)
    await vi.waitFor(() => expect(stuck.make).toHaveBeenCalled())
    const work = workOf()
    expect(await there.once(claim, work)).toEqual({
      kind: 'refused',
      reason: 'payment_in_progress',
    })
    await clock.sleep(600_000)
    expect(await there.once(claim, work)).toEqual(answered)
  })
})

test('a settlement that failed is tried again by a repeat, without another run', async () => {
  const { here } = open()
  const answers = [failed, receipt]
  const work = workOf({ settle: async () => answers.shift() ?? failed })
  expect(await here.once(claim, work)).toEqual({
    kind: 'refused',
    reason: 'insufficient_funds',
    receipt: failed,
  })
  expect(await here.once(claim, work)).toEqual(answered)
  expect(work.make).toHaveBeenCalledOnce()
})

test.each<[string, Partial<Work>]>([
  ['refused', { make: async () => ({ kind: 'refused', reason: 'invalid' }) }],
  ['answered with an error of the tool', { make: async () => ({ kind: 'answered', result }) }],
  ['thrown', { make: () => Promise.reject(new Error('broken')) }],
])('after a call that was %s, payment and id are free', async (_, changes) => {
  const { here } = open()
  const withId = { ...claim, id: 'pay_0123456789abcdef' }
  const work = workOf(changes)
  await here.once(withId, work).catch(String)
  expect(work.settle).not.toHaveBeenCalled()
  const other = { ...withId, key: 'other', payment: 'other' }
  expect(await here.once(other, workOf())).toEqual(answered)
  expect(await here.once({ ...claim, call: 'another' }, workOf())).toEqual(answered)
})

test('an id that a failed call frees while a repeat is at work buys one thing', async () => {
  const { here, there } = open()
  const withId = { ...claim, id: 'pay_0123456789abcdef' }
  const atWork = Promise.withResolvers<void>()
  const tool = Promise.withResolvers<{ price: typeof price; result: typeof result }>()
  const repeat: { outcome?: Promise<Outcome> } = {}
  const failing = workOf({ make: () => Promise.reject(new Error('broken')) })
  const first = here.once(withId, failing).catch(String)
  const make = () => {
    atWork.resolve()
    return tool.promise
  }
  const slow = workOf({ make })
  repeat.outcome = there.once({ ...withId }, slow)
  await first
  await atWork.promise
  const other = { ...withId, key: 'other', payment: 'other' }
  const otherOutcome = await here.once(other, workOf())
  tool.resolve({ price, result })
  const kinds = [otherOutcome, await repeat.outcome].map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'answered')).toHaveLength(1)
})

test('an id that bought something is of that payment', async () => {
  const { here, there } = open()
  const withId = { ...claim, id: 'pay_0123456789abcdef' }
  await here.once(withId, workOf())
  const other = { ...withId, key: 'other', payment: 'other' }
  const conflict = { kind: 'refused', reason: 'payment_identifier_conflict' }
  expect(await there.once(other, workOf())).toEqual(conflict)
  expect(await there.once(withId, workOf())).toEqual(answered)
})

const withPut = (store: DeliveryStore, put: DeliveryStore['put']): DeliveryStore => ({
  putIfAbsent: (...entry) => store.putIfAbsent(...entry),
  put,
  remove: (key) => store.remove(key),
})

describe('a store that does not answer', () => {
  const broken = () => Promise.reject(new Error('the store is down'))

  test('before the settlement: nothing is paid', async () => {
    const store = new MemoryDeliveryStore()
    const { here } = open({ store: withPut(store, broken) })
    const work = workOf()
    await expect(here.once(claim, work)).rejects.toThrow('the store is down')
    expect(work.settle).not.toHaveBeenCalled()
  })

  test('after the settlement: the buyer gets the answer all the same', async () => {
    const store = new MemoryDeliveryStore()
    let puts = 0
    const put: typeof store.put = (...entry) => (++puts === 1 ? store.put(...entry) : broken())
    const { here, onError } = open({ store: withPut(store, put) })
    expect(await here.once(claim, workOf())).toEqual(answered)
    expect(onError).toHaveBeenCalledWith(new Error('the store is down'))
    const work = workOf()
    expect(await here.once(claim, work)).toEqual(answered)
    expect(work.make).not.toHaveBeenCalled()
  })
})
