import type { PaymentPayload, SettleResponse } from '@x402/core/types'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { claimOf } from '../../../../src/selling/delivery/claim.ts'
import { Deliveries } from '../../../../src/selling/delivery/deliveries.ts'
import type { DeliveryStore } from '../../../../src/selling/delivery/delivery-store.ts'
import { MemoryDeliveryStore } from '../../../../src/selling/delivery/memory-store.ts'
import { type ClaimOptions, claimSettings } from '../../../../src/selling/delivery/options.ts'
import {
  deliverOnce,
  type MadeResult,
  type Outcome,
  type Work,
} from '../../../../src/selling/mcp/deliver-once.ts'
import type { ToolResult } from '../../../../src/selling/mcp/transport.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { priceFor } from '../../../support/stock/stock-client.ts'

const price = priceFor('GA')
const receipt: SettleResponse = { success: true, transaction: 'hash', network: 'stellar:testnet' }
const result = { content: [{ type: 'text', text: 'goods' }] }
const answered = {
  kind: 'answered',
  result: { ...result, _meta: { 'x402/payment-response': receipt } },
}
const failed: SettleResponse = { ...receipt, success: false, errorReason: 'insufficient_funds' }

interface Wish {
  readonly signed?: string
  readonly call?: string
  readonly id?: string | undefined
  /** Not signed. */
  readonly extensions?: PaymentPayload['extensions'] & object
}

const claim = ({ signed = 'AAAA', call = 'c', id, extensions = {} }: Wish = {}) => {
  const payload = { transaction: signed }
  const payment: PaymentPayload = { x402Version: 2, accepted: price, payload, extensions }
  return claimOf({ scope: 'tools', payment, id, bought: [call] })
}

const workOf = (changes: Partial<Work> = {}) => ({
  make: vi.fn<Work['make']>(changes.make ?? (async () => ({ price, result }))),
  settle: vi.fn<Work['settle']>(changes.settle ?? (async () => receipt)),
})

/** Other ways to a store. */
type Ways = (store: DeliveryStore) => Partial<DeliveryStore>

/** Two processes that share a store. */
function open(changes: Partial<ClaimOptions> = {}, ways: Ways = () => ({})) {
  const clock = new FakeClock()
  const onError = vi.fn()
  const memory = new MemoryDeliveryStore({ clock })
  const store: DeliveryStore = {
    putIfAbsent: (...entry) => memory.putIfAbsent(...entry),
    put: (...entry) => memory.put(...entry),
    remove: (...entry) => memory.remove(...entry),
    ...ways(memory),
  }
  const settings = claimSettings({ store, scope: 'tools', clock, onError, ...changes })
  const process = () => {
    const deliveries = new Deliveries<MadeResult, ToolResult>(settings)
    return async (wish: Wish | undefined, work: Work): Promise<Outcome> =>
      deliverOnce(await deliveries.begin(claim(wish)), work)
  }
  onTestFinished(() => clock.advance(settings.maxHandlerMs))
  return { clock, onError, here: process(), there: process() }
}

test('repeats get the answer of the first, in this process and in others', async () => {
  const { here, there } = open()
  const work = workOf()
  expect(await here({}, work)).toEqual(answered)
  expect(await here({}, work)).toEqual(answered)
  expect(await there({}, work)).toEqual(answered)
  expect(work.make).toHaveBeenCalledOnce()
  expect(work.settle).toHaveBeenCalledOnce()
})

test('calls at the same moment share one run', async () => {
  const { here, clock } = open()
  const work = workOf()
  const outcomes = Promise.all([here({}, work), here({}, work)])
  await clock.advance(100)
  expect(await outcomes).toEqual([answered, answered])
  expect(work.make).toHaveBeenCalledOnce()
})

test('of repeats at the same moment a set number waits', async () => {
  const { here, clock } = open({ maxWaiting: 2 })
  const tool = Promise.withResolvers<MadeResult>()
  const first = here({}, workOf({ make: () => tool.promise }))
  await clock.advance(0)
  const waiting = [here({}, workOf()), here({}, workOf())]
  await clock.advance(0)
  const inProgress = { kind: 'refused', reason: 'payment_in_progress' }
  expect(await here({}, workOf())).toEqual(inProgress)
  tool.resolve({ price, result })
  await clock.advance(1_000)
  expect(await Promise.all([first, ...waiting])).toEqual([answered, answered, answered])
})

test.each([
  ['for another call', { call: 'another' }],
  ['in another wrapping', { extensions: { more: {} } }],
])('what was signed once does not pay %s, at the same moment or later', async (_, change) => {
  const { here, there } = open()
  const work = workOf()
  const used = { kind: 'refused', reason: 'payment_used_for_another_call' }
  const first = here({}, work)
  expect(await here(change, work)).toEqual(used)
  await first
  expect(await there(change, work)).toEqual(used)
  expect(work.make).toHaveBeenCalledOnce()
})

describe('a process that ends', () => {
  const SOON_MS = 31_000

  test('after the tool ran: another one settles what it made', async () => {
    const { here, there, clock } = open({ maxHandlerMs: 1, waitMs: SOON_MS })
    const stuck = workOf({ settle: () => new Promise(() => {}) })
    void here({}, stuck)
    await vi.waitFor(() => expect(stuck.settle).toHaveBeenCalled())
    const work = workOf()
    const repeat = there({}, work)
    await clock.advance(SOON_MS)
    expect(await repeat).toEqual(answered)
    expect(work.make).not.toHaveBeenCalled()
  })

  test('while the tool runs: another one soon begins anew', async () => {
    const { here, there, clock } = open({ maxHandlerMs: 1, waitMs: SOON_MS })
    const stuck = workOf({ make: () => new Promise(() => {}) })
    void here({}, stuck).catch(() => {})
    await vi.waitFor(() => expect(stuck.make).toHaveBeenCalled())
    const repeat = there({}, workOf())
    await clock.advance(SOON_MS)
    expect(await repeat).toEqual(answered)
  })
})

test('a tool that never answers is told to stop at its limit; its payment buys another call', async () => {
  const { here, clock } = open({ maxHandlerMs: 60_000 })
  const signals: AbortSignal[] = []
  const never = workOf({
    make: (limit) => {
      signals.push(limit)
      return new Promise(() => {})
    },
  })
  const call = expect(here({}, never)).rejects.toThrow('may have begun')
  await clock.advance(59_000)
  expect(signals[0]?.aborted).toBe(false)
  await clock.advance(1_000)
  await call
  expect(signals[0]?.aborted).toBe(true)
  expect(await here({ call: 'another' }, workOf())).toEqual(answered)
})

test('a settlement that failed is tried again by a repeat, without another run', async () => {
  const { here } = open()
  const answers = [failed, receipt]
  const work = workOf({ settle: async () => answers.shift() ?? failed })
  expect(await here({}, work)).toEqual({
    kind: 'refused',
    reason: 'insufficient_funds',
    receipt: failed,
  })
  expect(await here({}, work)).toEqual(answered)
  expect(work.make).toHaveBeenCalledOnce()
})

const id = 'pay_0123456789abcdef'
const conflict = { kind: 'refused', reason: 'payment_identifier_conflict' }

test.each<[string, Partial<Work>]>([
  ['refused', { make: async () => ({ kind: 'refused', reason: 'invalid' }) }],
  ['answered with an error of the tool', { make: async () => ({ kind: 'answered', result }) }],
  ['thrown', { make: () => Promise.reject(new Error('broken')) }],
])('after a call that was %s, payment and id are free', async (_, changes) => {
  const { here } = open()
  const work = workOf(changes)
  await here({ id }, work).catch(String)
  expect(work.settle).not.toHaveBeenCalled()
  expect(await here({ signed: 'BBBB', id }, workOf())).toEqual(answered)
  expect(await here({ call: 'another' }, workOf())).toEqual(answered)
})

test('an id that a failed call frees while a repeat is at work buys one thing', async () => {
  const { here, there, clock } = open()
  const failing = workOf({ make: () => Promise.reject(new Error('broken')) })
  const tool = Promise.withResolvers<MadeResult>()
  const first = here({ id }, failing).catch(String)
  const repeat = there({ id }, workOf({ make: () => tool.promise }))
  await first
  const other = here({ signed: 'BBBB', id }, workOf())
  tool.resolve({ price, result })
  await clock.advance(1_000)
  const kinds = (await Promise.all([other, repeat])).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'answered')).toHaveLength(1)
})

test('an id that bought something is of that payment', async () => {
  const { here, there } = open()
  await here({ id }, workOf())
  expect(await there({ signed: 'BBBB', id }, workOf())).toEqual(conflict)
  expect(await there({ id }, workOf())).toEqual(answered)
})

test.each([
  ['certainly took nothing frees the id', 'insufficient_funds', answered],
  ['may be on its way keeps the id', 'settlement_pending', conflict],
])('a settlement that %s', async (_, errorReason, other) => {
  const { here } = open()
  await here({ id }, workOf({ settle: async () => ({ ...failed, errorReason }) }))
  expect(await here({ signed: 'BBBB', id }, workOf())).toEqual(other)
})

describe('a store that does not answer', () => {
  const broken = () => Promise.reject(new Error('the store is down'))

  test('before the tool runs: nothing runs', async () => {
    const { here } = open({}, () => ({ putIfAbsent: broken }))
    const work = workOf()
    const refused = { kind: 'refused', reason: 'delivery_store_unavailable' }
    expect(await here({}, work)).toEqual(refused)
    expect(work.make).not.toHaveBeenCalled()
  })

  test('before the settlement: nothing is paid', async () => {
    let isDown = false
    const { here, clock } = open({}, (store) => ({
      putIfAbsent: (...entry) => (isDown ? broken() : store.putIfAbsent(...entry)),
    }))
    const work = workOf({
      make: async () => {
        isDown = true
        return { price, result }
      },
    })
    const call = expect(here({}, work)).rejects.toThrow('the store is down')
    await clock.advance(1_000)
    await call
    expect(work.settle).not.toHaveBeenCalled()
  })

  test('after the settlement: the buyer gets the answer all the same', async () => {
    const { here, onError, clock } = open({ claimMs: 3_000 }, () => ({ put: broken }))
    const first = here({}, workOf())
    await clock.advance(1_000)
    expect(await first).toEqual(answered)
    expect(onError).toHaveBeenCalledWith(new Error('the store is down'))
    const work = workOf()
    const repeat = here({}, work)
    await clock.advance(5_000)
    expect(await repeat).toEqual(answered)
    expect(work.make).not.toHaveBeenCalled()
  })
})
