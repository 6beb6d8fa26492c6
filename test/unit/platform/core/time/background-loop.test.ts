import { describe, expect, test } from 'vitest'
import { startBackgroundLoop } from '../../../../../src/platform/core/time/background-loop.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

function loopOf(first: 'round' | 'pause', pauseMs: number | ((tookMs: number) => number) = 100) {
  const clock = new FakeClock()
  const errors: unknown[] = []
  const rounds: number[] = []
  const startedAt = clock.now()
  let work = async (_signal: AbortSignal): Promise<void> => undefined
  const loop = startBackgroundLoop({
    first,
    pauseMs,
    clock,
    onError: (error) => errors.push(error),
    run: (signal) => {
      rounds.push(clock.now() - startedAt)
      return work(signal)
    },
  })
  const setWork = (next: typeof work) => {
    work = next
  }
  return { clock, errors, rounds, loop, setWork }
}

describe('startBackgroundLoop', () => {
  test.each([
    { first: 'round' as const, rounds: [0, 100, 200] },
    { first: 'pause' as const, rounds: [100, 200] },
  ])('begins with a $first', async ({ first, rounds: expected }) => {
    const { clock, rounds, loop } = loopOf(first)
    await clock.advance(250)
    await loop[Symbol.asyncDispose]()

    expect(rounds).toEqual(expected)
    expect(clock.sleeping).toBe(0)
  })

  test('hands an error on and goes on', async () => {
    const { clock, errors, rounds, loop, setWork } = loopOf('pause')
    const broken = new Error('broken')
    setWork(() => Promise.reject(broken))
    await clock.advance(250)
    await loop[Symbol.asyncDispose]()

    expect(errors).toEqual([broken, broken])
    expect(rounds).toEqual([100, 200])
  })

  test('computes the pause from how long the round took', async () => {
    const { clock, rounds, loop, setWork } = loopOf('pause', (tookMs) => 100 - tookMs)
    setWork((signal) => clock.sleep(40, signal))
    await clock.advance(350)
    await loop[Symbol.asyncDispose]()

    expect(rounds).toEqual([100, 200, 300])
  })

  test('stops within a round, reports no error of it, and waits for its end', async () => {
    const { clock, errors, loop, setWork } = loopOf('pause')
    let hasEnded = false
    setWork(async (signal) => {
      await clock.sleep(1_000, signal).finally(() => {
        hasEnded = true
      })
    })
    await clock.advance(150)
    await loop[Symbol.asyncDispose]()

    expect(hasEnded).toBe(true)
    expect(errors).toEqual([])
  })
})
