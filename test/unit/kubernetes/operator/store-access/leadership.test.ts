import { expect, test } from 'vitest'
import {
  LeadershipTooShort,
  leadershipOf,
} from '../../../../../src/kubernetes/operator/store-access/leadership.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const leadership = (validForMs: number) => {
  const clock = new FakeClock()
  const until = clock.monotonic() + validForMs
  const term = { epoch: 7, signal: new AbortController().signal, validUntil: () => until }
  const names = { name: 'ns/lease uid', validitySeconds: 20 }
  return { clock, lead: leadershipOf({ term, ...names, clock }) }
}

test('the fence of a term is its epoch, under the name of the election', () => {
  expect(leadership(30_000).lead.fence).toEqual({ name: 'ns/lease uid', epoch: 7n })
})

test.each([
  { left: 30_000, seconds: 20, may: true },
  { left: 22_000, seconds: 20, may: true },
  { left: 21_999, seconds: 20, may: false },
  { left: -1, seconds: 0, may: false },
])(
  'with $left ms left, what lives for $seconds s may be signed: $may',
  ({ left, seconds, may }) => {
    const act = () => leadership(left).lead.assertLasts(seconds)
    if (may) expect(act).not.toThrow()
    else expect(act).toThrow(LeadershipTooShort)
  },
)

test('the right to sign expires with the monotonic clock, not the wall clock', async () => {
  const { clock, lead } = leadership(30_000)
  await clock.advance(8_000)
  expect(() => lead.assertLasts(20)).not.toThrow()
  await clock.advance(1)
  expect(() => lead.assertLasts(20)).toThrow(LeadershipTooShort)
})
