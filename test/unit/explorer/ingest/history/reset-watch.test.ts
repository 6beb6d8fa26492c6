import { describe, expect, it } from 'vitest'
import { ResetWatch } from '../../../../../src/explorer/ingest/history/reset-watch.ts'
import { defaultIngestTimings } from '../../../../../src/explorer/ingest/timings.ts'

describe('ResetWatch', () => {
  const watchAt = (clock: { ms: number }) =>
    new ResetWatch({ now: () => clock.ms }, defaultIngestTimings)

  it('believes in a fall of more than 100 ledgers after 45 s in which every answer showed it', () => {
    const clock = { ms: 0 }
    const watch = watchAt(clock)
    expect(watch.suspect(101)).toBe(false)
    clock.ms = 44_999
    expect(watch.suspect(101)).toBe(false)
    clock.ms = 45_000
    expect(watch.suspect(101)).toBe(true)
  })

  it('begins again after an answer of the known history', () => {
    const clock = { ms: 0 }
    const watch = watchAt(clock)
    watch.suspect(5_000)
    clock.ms = 40_000
    watch.clear()
    clock.ms = 50_000
    expect(watch.suspect(5_000)).toBe(false)
  })

  it('believes in a smaller fall after five minutes', () => {
    const clock = { ms: 0 }
    const watch = watchAt(clock)
    watch.suspect(100)
    clock.ms = 299_999
    expect(watch.suspect(100)).toBe(false)
    clock.ms = 300_000
    expect(watch.suspect(100)).toBe(true)
  })
})
