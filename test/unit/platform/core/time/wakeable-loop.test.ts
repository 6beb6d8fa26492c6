import { expect, test } from 'vitest'
import { startWakeableLoop } from '../../../../../src/platform/core/time/wakeable-loop.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

function loopOf() {
  const clock = new FakeClock()
  const startedAt = clock.now()
  const rounds: number[] = []
  let work = async (): Promise<void> => undefined
  const loop = startWakeableLoop({
    clock,
    pauseMs: 100,
    onError: () => undefined,
    run: () => {
      rounds.push(clock.now() - startedAt)
      return work()
    },
  })
  const setWork = (next: typeof work) => {
    work = next
  }
  return { clock, rounds, loop, setWork }
}

test('a loop that is woken in its pause runs at once, and pauses in full afterwards', async () => {
  const { clock, rounds, loop } = loopOf()
  await clock.advance(30)
  loop.wake()
  await clock.advance(130)
  await loop[Symbol.asyncDispose]()
  expect(rounds).toEqual([0, 30, 130])
  expect(clock.sleeping).toBe(0)
})

test('a loop that is woken in a round runs once more without a pause', async () => {
  const { clock, rounds, loop, setWork } = loopOf()
  await clock.advance(50)
  const gate = Promise.withResolvers<void>()
  setWork(() => gate.promise)
  await clock.advance(60)
  loop.wake()
  loop.wake()
  setWork(async () => undefined)
  gate.resolve()
  await clock.advance(10)
  await loop[Symbol.asyncDispose]()
  expect(rounds).toEqual([0, 100, 110])
})
