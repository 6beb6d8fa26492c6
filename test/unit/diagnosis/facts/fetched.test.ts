import { describe, expect, test } from 'vitest'
import { fetchWithin } from '../../../../src/diagnosis/facts/fetched.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'

describe('fetchWithin', () => {
  const limits = { clock: systemClock, timeoutMs: 20 }

  test('does not wait for late work, and aborts its signal', async () => {
    let given: AbortSignal | undefined
    const fetched = await fetchWithin(limits, (signal) => {
      given = signal
      return new Promise(() => undefined)
    })
    expect(fetched).toEqual({ ok: false, why: 'no answer within 20 ms' })
    expect(given?.aborted).toBe(true)
  })

  test('gives the reason of a failure', async () => {
    const fetched = await fetchWithin(limits, () => Promise.reject(new Error('no route')))
    expect(fetched).toEqual({ ok: false, why: 'no route' })
  })
})
