import { expect, it } from 'vitest'
import type { KeyUse } from '../../../../src/payments/store/usage/key-uses.ts'
import { KeyUses, MAX_WAITING, NOTE_EVERY_MS } from '../../../../src/payments/usage/key-uses.ts'
import { StoreUnavailable } from '../../../../src/platform/database/postgres/unavailable.ts'
import { ApiKeys } from '../../../../src/platform/http/access/api-keys.ts'
import { digestOf } from '../../../support/api-keys.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const [a, b] = ['svc_a', 'svc_b'].map((key) => ({
  headers: { 'x-api-key': key },
  digest: digestOf(key),
  subject: `key:${digestOf(key).slice(0, 16)}`,
}))

function world() {
  if (!a || !b) throw new Error('there are two keys')
  const clock = new FakeClock()
  const keys = new ApiKeys(clock, [{ digest: a.digest, name: 'shop' }, { digest: b.digest }])
  const written: (readonly KeyUse[])[] = []
  const store = { isDown: false }
  const uses = new KeyUses({
    keys,
    clock,
    note: async (batch) => {
      if (store.isDown) throw new StoreUnavailable('no store')
      written.push(batch)
    },
    onLost: () => undefined,
  })
  return { a, b, clock, keys, uses, written, store }
}

it('writes nothing while no key is used', async () => {
  const { uses, keys, written } = world()
  keys.identify({ 'x-api-key': 'unknown' })
  await uses.write()
  await uses.write({ isLast: true })
  expect(written).toEqual([])
})

it('writes the first use of each key at once, in one statement, with its age', async () => {
  const { a, b, uses, keys, clock, written } = world()
  keys.identify(a.headers)
  await clock.advance(4_000)
  keys.identify(b.headers)
  await clock.advance(1_000)
  await uses.write()
  await uses.write()
  expect(written).toEqual([
    [
      { subject: a.subject, name: 'shop', agoMs: 5_000 },
      { subject: b.subject, name: undefined, agoMs: 1_000 },
    ],
  ])
})

it('writes a later use a minute after the write before, however many there are', async () => {
  const { a, uses, keys, clock, written } = world()
  keys.identify(a.headers)
  await uses.write()
  for (let second = 5; second < 120; second += 5) {
    await clock.advance(5_000)
    if (second <= 30) keys.identify(a.headers)
    await uses.write()
  }
  // The last use was at second 30: it is written though no other one follows.
  const agoMs = NOTE_EVERY_MS - 30_000
  expect(written.slice(1)).toEqual([[{ subject: a.subject, name: 'shop', agoMs }]])
})

it('writes everything when it is the last time', async () => {
  const { a, uses, keys, clock, written } = world()
  keys.identify(a.headers)
  await uses.write()
  await clock.advance(1)
  keys.identify(a.headers)
  await uses.write({ isLast: true })
  await uses.write({ isLast: true })
  expect(written).toHaveLength(2)
})

it('writes again what the store did not take', async () => {
  const { a, uses, keys, store, written } = world()
  keys.identify(a.headers)
  store.isDown = true
  await expect(uses.write()).rejects.toThrow('no store')
  store.isDown = false
  await uses.write()
  expect(written).toHaveLength(1)
})

it('keeps a bounded number of keys while the store is away, the latest uses, and counts the others', async () => {
  const digests = Array.from({ length: 18_000 }, (_, index) => `${index}`.padStart(64, '0'))
  const toTake = [digests.slice(0, 9_000), digests.slice(9_000)]
  const lost: number[] = []
  const written: (readonly KeyUse[])[] = []
  const store = { isDown: true }
  const uses = new KeyUses({
    // Keys that come and go.
    keys: {
      takeUses: () => (toTake.shift() ?? []).map((digest) => ({ digest, name: digest, usedAt: 0 })),
    },
    clock: new FakeClock(),
    note: async (batch) => {
      if (store.isDown) throw new StoreUnavailable('no store')
      written.push(batch)
    },
    onLost: (count) => lost.push(count),
  })
  await expect(uses.write()).rejects.toThrow('no store')
  await expect(uses.write()).rejects.toThrow('no store')
  expect(lost).toEqual([digests.length - MAX_WAITING])
  store.isDown = false
  await uses.write()
  expect(written.map((batch) => batch.map(({ name }) => name))).toEqual([
    digests.slice(-MAX_WAITING),
  ])
})
