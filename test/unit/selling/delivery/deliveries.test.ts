import { describe, expect, onTestFinished, test } from 'vitest'
import type { Attempt } from '../../../../src/selling/delivery/attempt.ts'
import type { Claim } from '../../../../src/selling/delivery/claim.ts'
import { type Begun, Deliveries } from '../../../../src/selling/delivery/deliveries.ts'
import type { DeliveryStore } from '../../../../src/selling/delivery/delivery-store.ts'
import { MemoryDeliveryStore } from '../../../../src/selling/delivery/memory-store.ts'
import { claimSettings } from '../../../../src/selling/delivery/options.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

/* What HTTP and tools have in common: which attempt serves a payment, and which answer is kept. */

const CLAIM_MS = 30_000
const claim: Claim = { key: 'k', binding: 'b', id: undefined }

type Started = Begun<string, string>

/** Processes over one store. A stopped one does nothing until it goes on, or never. */
function world() {
  const clock = new FakeClock()
  const store = new MemoryDeliveryStore({ clock })
  const process = () => {
    let going = Promise.withResolvers<void>()
    going.resolve()
    const reached: DeliveryStore = {
      putIfAbsent: (...entry) => going.promise.then(() => store.putIfAbsent(...entry)),
      put: (...entry) => going.promise.then(() => store.put(...entry)),
      remove: (...entry) => going.promise.then(() => store.remove(...entry)),
    }
    const own = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: async (ms: number, signal?: AbortSignal) => {
        await clock.sleep(ms, signal)
        await going.promise
      },
    }
    const deliveries = new Deliveries<string, string>(
      claimSettings({ store: reached, scope: 'shop', clock: own, claimMs: CLAIM_MS, waitMs: 1 }),
    )
    const begin = async (wish: Claim = claim): Promise<Started> => {
      const begun = deliveries.begin(wish)
      await clock.advance(100)
      return begun
    }
    const stop = () => {
      going = Promise.withResolvers()
    }
    return { begin, stop, goOn: () => going.resolve() }
  }
  onTestFinished(() => clock.advance(700_000))
  return { clock, store, process }
}

const attemptOf = (begun: Started): Attempt<string, string> => {
  if (!('attempt' in begun)) throw new Error(JSON.stringify(begun))
  return begun.attempt
}
const inProgress = { kind: 'refused', reason: 'in_progress' }

describe('an attempt whose process stands still', () => {
  test('loses its place to the next one, and can keep nothing when it goes on', async () => {
    const { clock, process } = world()
    const [still, other] = [process(), process()]
    const first = attemptOf(await still.begin())
    still.stop()
    await clock.advance(CLAIM_MS)
    const second = await other.begin()
    expect(second.kind).toBe('new')

    still.goOn()
    expect(await first.keep('of the first')).toBe(false)
    expect(await attemptOf(second).keep('of the second')).toBe(true)
    await attemptOf(second).answer('of the second, paid')
    expect(await other.begin()).toEqual({ kind: 'answered', answer: 'of the second, paid' })
  })

  test('does not free what the next one serves', async () => {
    const { clock, process } = world()
    const [still, other, third] = [process(), process(), process()]
    const first = attemptOf(await still.begin())
    still.stop()
    await clock.advance(CLAIM_MS)
    const second = attemptOf(await other.begin())
    still.goOn()
    await first.release('unpaid')
    expect(await third.begin()).toEqual(inProgress)
    await second.answer('goods')
    expect(await third.begin()).toEqual({ kind: 'answered', answer: 'goods' })
  })

  test('keeps what it made where the next one has not begun', async () => {
    const { clock, process } = world()
    const [still, other] = [process(), process()]
    const first = attemptOf(await still.begin())
    still.stop()
    await clock.advance(CLAIM_MS)
    still.goOn()
    expect(await first.keep('made')).toBe(true)
    expect(await other.begin()).toMatchObject({ kind: 'made', made: 'made' })
  })

  test('is followed by any number of others, of which one at a time serves', async () => {
    const { clock, process } = world()
    const all = Array.from({ length: 5 }, () => process())
    const attempts: Attempt<string, string>[] = []
    for (const each of all) {
      const begun = await each.begin()
      attempts.push(attemptOf(begun))
      for (const other of all.slice(attempts.length))
        expect(await other.begin()).toEqual(inProgress)
      each.stop()
      await clock.advance(CLAIM_MS)
    }
    const last = process()
    const kept = attemptOf(await last.begin())
    for (const [at, each] of all.entries()) {
      each.goOn()
      expect(await attempts[at]?.keep(`of ${at}`)).toBe(false)
    }
    expect(await kept.keep('of the last')).toBe(true)
  })
})

test('while what is not stored is settled, nobody else is served for the time of a lease', async () => {
  const { clock, process } = world()
  const [still, other] = [process(), process()]
  const first = attemptOf(await still.begin())
  await clock.advance(8_000)
  expect(await first.hold()).toBe(true)
  still.stop()
  await clock.advance(CLAIM_MS - 5_000)
  // The lease has ended.
  expect(await other.begin()).toEqual(inProgress)
  await clock.advance(5_000)
  const second = attemptOf(await other.begin())
  expect(second.lost.aborted).toBe(false)
  still.goOn()
  await clock.advance(0)
  expect(await first.hold()).toBe(false)
})

test.each([
  ['answered', (attempt: Attempt<string, string>) => attempt.answer('paid'), 'answered'],
  ['released', (attempt: Attempt<string, string>) => attempt.release('open'), 'new'],
])('what was settled and not stored is over once it is %s', async (_, end, kind) => {
  const { process } = world()
  const { begin } = process()
  const attempt = attemptOf(await begin())
  await attempt.hold()
  await end(attempt)
  expect((await begin()).kind).toBe(kind)
})

test('what was made is settled by one process at a time, and given to nobody before', async () => {
  const { clock, process } = world()
  const [dead, one, two] = [process(), process(), process()]
  await attemptOf(await dead.begin()).keep('made')
  dead.stop()
  expect(await one.begin()).toEqual(inProgress)
  await clock.advance(CLAIM_MS)
  const begun = await one.begin()
  expect(begun).toMatchObject({ kind: 'made', made: 'made' })
  expect(await two.begin()).toEqual(inProgress)
  await attemptOf(begun).release('open')
  const again = await two.begin()
  expect(again).toMatchObject({ kind: 'made', made: 'made' })
  await attemptOf(again).answer('paid')
  expect(await one.begin()).toEqual({ kind: 'answered', answer: 'paid' })
})

test('an answer whose process ended before it was everywhere is the answer to every repeat', async () => {
  const { clock, store, process } = world()
  const [dead, one, two] = [process(), process(), process()]
  const attempt = attemptOf(await dead.begin())
  const put = store.put.bind(store)
  Object.assign(store, { put: () => Promise.reject(new Error('down')) })
  const sent = attempt.answer('paid')
  await clock.advance(1_000)
  await sent
  dead.stop()
  Object.assign(store, { put })
  await clock.advance(CLAIM_MS)
  const answered = { kind: 'answered', answer: 'paid' }
  expect(await Promise.all([one.begin(), two.begin()])).toContainEqual(answered)
  expect(await one.begin()).toEqual(answered)
  expect(await two.begin()).toEqual(answered)
})
