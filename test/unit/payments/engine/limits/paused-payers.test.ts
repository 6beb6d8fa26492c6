import { expect, it } from 'vitest'
import { PausedPayers } from '../../../../../src/payments/engine/limits/payers/paused-payers.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const MOST = 10_000

it('knows a payer as paused until its pause ends', () => {
  const clock = new FakeClock()
  const paused = new PausedPayers(clock)
  paused.note('GPAYER', 1_000)
  expect(paused.has('GPAYER')).toBe(true)
  expect(paused.has('GOTHER')).toBe(false)
  clock.jump(999)
  expect(paused.has('GPAYER')).toBe(true)
  clock.jump(1)
  expect(paused.has('GPAYER')).toBe(false)
})

it('forgets a pause that the store has ended', () => {
  const paused = new PausedPayers(new FakeClock())
  paused.note('GPAYER', 1_000)
  paused.note('GPAYER', 0)
  expect(paused.has('GPAYER')).toBe(false)
})

it('keeps a bounded number of payers, the latest ones', () => {
  const paused = new PausedPayers(new FakeClock())
  for (let nr = 0; nr <= MOST; nr++) paused.note(`${nr}`, 1_000)
  expect([0, 1, MOST].map((nr) => paused.has(`${nr}`))).toEqual([false, true, true])
})
