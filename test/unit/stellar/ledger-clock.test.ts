import { describe, expect, it } from 'vitest'
import { LedgerClock } from '../../../src/stellar/ledger-clock.ts'

function clockOf(...samples: [sequence: number, closeTime: number][]): LedgerClock {
  const clock = new LedgerClock()
  for (const [sequence, closeTime] of samples) clock.observe({ sequence, closeTime })
  return clock
}

describe('the ledger clock', () => {
  it('gives 5 s until it has observed two ledgers', () => {
    expect(clockOf().secondsPerLedger).toBe(5)
    expect(clockOf([10, 1_000]).secondsPerLedger).toBe(5)
    expect(clockOf([10, 1_000], [10, 1_000]).secondsPerLedger).toBe(5)
  })

  it('rounds up to whole seconds', () => {
    expect(clockOf([10, 1_000], [11, 1_006], [12, 1_011]).secondsPerLedger).toBe(6)
  })

  it('counts ledgers that it did not observe', () => {
    expect(clockOf([10, 1_000], [14, 1_020]).secondsPerLedger).toBe(5)
  })

  it('uses the last 20 ledgers only', () => {
    const slowThenFast = clockOf([1, 0], [2, 100], [30, 200], [31, 204])
    expect(slowThenFast.secondsPerLedger).toBe(4)
  })

  it('never gives less than a second', () => {
    expect(clockOf([10, 1_000], [15, 1_000]).secondsPerLedger).toBe(1)
  })

  it('ignores ledgers that come late', () => {
    const clock = clockOf([10, 1_000], [12, 1_012], [11, 1_001])
    expect(clock.latest).toEqual({ sequence: 12, closeTime: 1_012 })
    expect(clock.secondsPerLedger).toBe(6)
  })

  it('restarts after a network reset', () => {
    const clock = clockOf([5_000, 1_000], [5_001, 1_005], [3, 2_000])
    expect(clock.latest).toEqual({ sequence: 3, closeTime: 2_000 })
    expect(clock.secondsPerLedger).toBe(5)
  })
})
