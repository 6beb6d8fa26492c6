import { expect, onTestFinished, test } from 'vitest'
import { LiveUpdates } from '../../../../src/explorer/web/live/live-updates.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'

const open = () => {
  const live = new LiveUpdates({
    reads: { newPayments: async () => ({ items: [], marks: {} }) },
    clock: systemClock,
    onError: () => undefined,
    most: { inAll: 6, ofAddress: 3 },
  })
  onTestFinished(() => live[Symbol.asyncDispose]())
  const ended: string[] = []
  const connect = (address: string) =>
    live.connect({
      filters: {},
      address,
      send: () => undefined,
      sendStale: () => undefined,
      end: () => ended.push(address),
    })
  return { ended, connect }
}

test('addresses that took every place give up one for each that comes, down to what it has', () => {
  const { ended, connect } = open()
  for (const address of ['a', 'a', 'a', 'b', 'b', 'b']) expect(connect(address)).toBeDefined()
  expect(connect('a')).toBeUndefined()
  expect(connect('c')).toBeDefined()
  expect(connect('d')).toBeDefined()
  expect(ended).toEqual(['a', 'b'])
  // Each of the others has two, and one of them would only take the place of another.
  expect(connect('c')).toBeUndefined()
  expect(ended).toEqual(['a', 'b'])
})

test('addresses of one /48 count as one: they take no place from each other, and give theirs up', () => {
  const { ended, connect } = open()
  const addresses = [1, 2, 3, 4, 5, 6].map((n) => `2001:db8:7:${n}::/64`)
  for (const address of addresses) expect(connect(address)).toBeDefined()
  expect(connect('2001:db8:7:7::/64')).toBeUndefined()
  expect(connect('2001:db8:8:1::/64')).toBeDefined()
  expect(connect('192.0.2.1')).toBeDefined()
  expect(ended).toEqual(addresses.slice(0, 2))
})

test('an address has no more places than it may, while others are free', () => {
  const { connect } = open()
  const leave = [connect('a'), connect('a'), connect('a')]
  expect(connect('a')).toBeUndefined()
  leave[0]?.()
  expect(connect('a')).toBeDefined()
})
