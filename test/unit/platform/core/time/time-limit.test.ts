import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import {
  TimeLimitExceeded,
  withTimeLimit,
} from '../../../../../src/platform/core/time/time-limit.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

/** Rejects with the reason of its signal; never ends otherwise. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped', { cause: signal.reason })))
  })

describe('withTimeLimit', () => {
  test('gives the outcome of work that ends in time, and leaves no timer', async () => {
    const clock = new FakeClock()

    expect(await withTimeLimit({ clock, ms: 100 }, async () => 'done')).toBe('done')
    await clock.advance(0)
    expect(clock.sleeping).toBe(0)
  })

  test('holds the result of no work that has ended', async () => {
    const signals: AbortSignal[] = []
    await withTimeLimit({ clock: new FakeClock(), ms: 100 }, async (signal) => {
      signals.push(signal)
    })

    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([])
  })

  test('ends late work with an error that names the limit, and aborts its signal', async () => {
    const clock = new FakeClock()
    let workSignal: AbortSignal | undefined
    const late = withTimeLimit({ clock, ms: 100 }, (signal) => {
      workSignal = signal
      return untilAborted(signal)
    })
    const outcome = expect(late).rejects.toThrow(new TimeLimitExceeded(100))
    await clock.advance(99)
    expect(workSignal?.aborted).toBe(false)
    await clock.advance(1)

    await outcome
    expect(workSignal?.aborted).toBe(true)
  })

  test('does not wait for work that ignores its signal', async () => {
    const clock = new FakeClock()
    const late = withTimeLimit(
      { clock, ms: 5, lateError: () => new Error('too slow') },
      () => Promise.withResolvers<never>().promise,
    )
    const outcome = expect(late).rejects.toThrow('too slow')
    await clock.advance(5)

    await outcome
  })

  test("ends with the reason of the caller's signal, not with what the work makes of it", async () => {
    const clock = new FakeClock()
    const caller = new AbortController()
    const stopped = withTimeLimit({ clock, ms: 100, signal: caller.signal }, untilAborted)
    const reason = new Error('shutting down')
    caller.abort(reason)

    await expect(stopped).rejects.toBe(reason)
    await clock.advance(0)
    expect(clock.sleeping).toBe(0)
  })

  test("does not begin when the caller's signal has aborted", async () => {
    let isBegun = false
    const work = async () => {
      isBegun = true
    }
    const signal = AbortSignal.abort(new Error('over'))

    await expect(withTimeLimit({ clock: new FakeClock(), ms: 1, signal }, work)).rejects.toThrow(
      'over',
    )
    expect(isBegun).toBe(false)
  })
})
