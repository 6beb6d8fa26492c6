import { expect, onTestFinished, test } from 'vitest'
import type { Attempt } from '../../../../src/selling/delivery/attempt.ts'
import type { Claim } from '../../../../src/selling/delivery/claim.ts'
import { type Begun, Deliveries } from '../../../../src/selling/delivery/deliveries.ts'
import type { DeliveryStore } from '../../../../src/selling/delivery/delivery-store.ts'
import { MemoryDeliveryStore } from '../../../../src/selling/delivery/memory-store.ts'
import { claimSettings } from '../../../../src/selling/delivery/options.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

/* One delivery, whatever becomes of single commands to the store: answers that are lost, and commands that come twice or late. */

const CLAIM_MS = 3_000
const claim: Claim = { key: 'k', binding: 'b', id: undefined }
const withId: Claim = { ...claim, id: { key: 'id', value: 'k' } }

type Started = Begun<string, string>
type Ways = (store: DeliveryStore) => Partial<DeliveryStore>

function world() {
  const clock = new FakeClock()
  const store = new MemoryDeliveryStore({ clock })
  const errors: unknown[] = []
  const process = (ways: Ways = () => ({})) => {
    const own: DeliveryStore = {
      putIfAbsent: (...entry) => store.putIfAbsent(...entry),
      put: (...entry) => store.put(...entry),
      remove: (...entry) => store.remove(...entry),
      ...ways(store),
    }
    const onError = (error: unknown) => errors.push(error)
    const deliveries = new Deliveries<string, string>(
      claimSettings({ store: own, scope: 's', clock, claimMs: CLAIM_MS, waitMs: 1, onError }),
    )
    return async (wish: Claim = claim): Promise<Started> => {
      const begun = deliveries.begin(wish)
      await clock.advance(100)
      return begun
    }
  }
  onTestFinished(() => clock.advance(700_000))
  return { clock, store, errors, process }
}

/** Passes once it is opened. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: () => resolve() }
}

const attemptOf = (begun: Started): Attempt<string, string> => {
  if (!('attempt' in begun)) throw new Error(JSON.stringify(begun))
  return begun.attempt
}
const inProgress = { kind: 'refused', reason: 'in_progress' }
const answered = { kind: 'answered', answer: 'paid' }

test('a removal whose answer was lost is repeated, and leaves the next attempt alone', async () => {
  const { clock, process } = world()
  let lost = 1
  const first = process((store) => ({
    remove: async (...entry) => {
      await store.remove(...entry)
      if (entry[0] === 'k' && lost-- > 0) throw new Error('lost')
    },
  }))
  const [second, third] = [process(), process()]
  const over = attemptOf(await first()).release('unpaid')
  const served = attemptOf(await second())
  await clock.advance(1_000)
  await over
  expect(await third()).toEqual(inProgress)
  await served.answer('paid')
  expect(await third()).toEqual(answered)
})

test.each([
  ['while it is served', false],
  ['after it was answered', true],
])(
  'a removal that comes late, to the next attempt %s, takes nothing from it',
  async (_, isOver) => {
    const { clock, process } = world()
    const late = gate()
    const removals: Promise<void>[] = []
    const first = process((store) => ({
      remove: (...entry) => {
        const removal = late.passed.then(() => store.remove(...entry))
        removals.push(removal)
        return removal
      },
    }))
    const [second, third] = [process(), process()]
    const over = attemptOf(await first()).release('unpaid')
    await clock.advance(CLAIM_MS + 6_000)
    await over
    // It may find what is left of the first, and look again.
    let begun = await second()
    if (begun.kind === 'refused') begun = await second()
    const served = attemptOf(begun)
    if (isOver) await served.answer('paid')
    late.open()
    await Promise.all(removals)
    expect(await third()).toEqual(isOver ? answered : inProgress)
  },
)

test('commands that come twice find their own value, and go on', async () => {
  const { clock, process } = world()
  const twice: Ways = (store) => ({
    putIfAbsent: async (...entry) => {
      await store.putIfAbsent(...entry)
      return store.putIfAbsent(...entry)
    },
  })
  expect((await process(twice)()).kind).toBe('new')
  await clock.advance(CLAIM_MS)
  const next = process(twice)
  // The first one still renews its lease.
  expect(await next()).toEqual(inProgress)
  await clock.advance(600_000)
  const attempt = attemptOf(await next())
  expect(await attempt.keep('made')).toBe(true)
  await attempt.answer('paid')
  expect(await next()).toEqual(answered)
})

test('an attempt that answers while another one takes over has answered', async () => {
  const { clock, process } = world()
  const taken = gate()
  const cut = { isCut: false }
  const first = process((store) => ({
    putIfAbsent: async (...entry) => {
      if (cut.isCut) throw new Error('cut')
      return store.putIfAbsent(...entry)
    },
  }))
  const attempt = attemptOf(await first())
  cut.isCut = true
  await clock.advance(CLAIM_MS)
  cut.isCut = false
  const other = process((store) => ({
    putIfAbsent: async (...entry) => {
      if (entry[0].includes(':attempt:')) await taken.passed
      return store.putIfAbsent(...entry)
    },
  }))
  const begun = other()
  await clock.advance(100)
  await attempt.answer('paid')
  taken.open()
  await clock.advance(100)
  expect(await begun).toEqual(answered)
})

test('an attempt whose lease was stored late, when another one could take over, is not served', async () => {
  const { clock, process } = world()
  const late = gate()
  const slow = process((store) => ({
    putIfAbsent: async (...entry) => {
      if (entry[0].includes(':lease:')) await late.passed
      return store.putIfAbsent(...entry)
    },
  }))
  const begun = slow()
  const served = attemptOf(await process()())
  await clock.advance(CLAIM_MS + 500)
  late.open()
  await clock.advance(100)
  expect(await begun).toEqual(inProgress)
  await served.answer('paid')
})

test.each([
  ['ends its lease at its time', 'lost'],
  ['does not hold back its answer', 'answer'],
])('an attempt whose renewal gets no answer %s', async (_, what) => {
  const { clock, process } = world()
  const silent = { isSilent: false }
  const attempt = attemptOf(
    await process((store) => ({
      putIfAbsent: (...entry) =>
        silent.isSilent && entry[0].includes(':lease:')
          ? new Promise(() => undefined)
          : store.putIfAbsent(...entry),
    }))(),
  )
  silent.isSilent = true
  await clock.advance(CLAIM_MS / 2)
  expect(attempt.lost.aborted).toBe(false)
  if (what === 'lost') {
    await clock.advance(CLAIM_MS / 2)
    expect(attempt.lost.aborted).toBe(true)
  } else {
    const sent = attempt.answer('paid')
    await clock.advance(6_000)
    await sent
    expect(await process()()).toEqual(answered)
  }
})

test('an id is not freed by an attempt that another one may have followed', async () => {
  const { clock, process } = world()
  const cut = { isCut: false }
  const first = process((store) => ({
    putIfAbsent: async (...entry) => {
      if (cut.isCut) throw new Error('cut')
      return store.putIfAbsent(...entry)
    },
  }))
  const attempt = attemptOf(await first(withId))
  await attempt.keep('made')
  cut.isCut = true
  await clock.advance(CLAIM_MS)
  await attempt.release('unpaid')
  const other: Claim = { key: 'other', binding: 'other', id: { key: 'id', value: 'other' } }
  const refused = { kind: 'refused', reason: 'identifier_conflict' }
  expect(await process()(other)).toEqual(refused)
})

test('a request that was refused leaves nothing for longer than a lease', async () => {
  const { clock, process } = world()
  const kept = new Map<string, number>()
  const begin = process((store) => ({
    putIfAbsent: async (...entry) => {
      const found = await store.putIfAbsent(...entry)
      if (found === undefined) kept.set(entry[0], clock.now() + entry[2])
      return found
    },
    put: async (...entry) => {
      await store.put(...entry)
      kept.set(entry[0], clock.now() + entry[2])
    },
    remove: async (...entry) => {
      await store.remove(...entry)
      kept.delete(entry[0])
    },
  }))
  await attemptOf(await begin(withId)).release('unpaid')
  expect([...kept.values()]).toEqual([clock.now() + CLAIM_MS])
})
