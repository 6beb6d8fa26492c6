import { describe, expect, it } from 'vitest'
import { LedgerClock } from '../../../../src/stellar/rpc/ledger-clock.ts'

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

  describe('before it has observed two ledgers', () => {
    const retained = (seconds: number): LedgerClock => {
      const clock = clockOf([1_000, 90_000])
      clock.observeRetained(
        { sequence: 900, closeTime: 90_000 - seconds },
        { sequence: 1_000, closeTime: 90_000 },
      )
      return clock
    }

    it.each([
      { seconds: 100, gives: 1 },
      { seconds: 101, gives: 2 },
      { seconds: 0, gives: 1 },
      // The network may have stood still.
      { seconds: 60_000, gives: 5 },
    ])('gives $gives s when 100 retained ledgers took $seconds s', ({ seconds, gives }) => {
      expect(retained(seconds).secondsPerLedger).toBe(gives)
    })

    it('gives 5 s when only one ledger is retained', () => {
      const clock = clockOf([10, 1_000])
      const only = { sequence: 10, closeTime: 1_000 }
      clock.observeRetained(only, only)
      expect(clock.secondsPerLedger).toBe(5)
      expect(clock.isMeasured).toBe(false)
    })

    it('uses what it observes afterwards', () => {
      const clock = retained(100)
      clock.observe({ sequence: 1_001, closeTime: 90_004 })
      expect(clock.secondsPerLedger).toBe(4)
    })

    it('forgets the retained ledgers after a network reset', () => {
      const clock = retained(100)
      clock.observe({ sequence: 3, closeTime: 91_000 })
      expect(clock.secondsPerLedger).toBe(5)
      expect(clock.isMeasured).toBe(false)
    })
  })

  it('restarts after a network reset', () => {
    const clock = clockOf([5_000, 1_000], [5_001, 1_005], [3, 2_000])
    expect(clock.latest).toEqual({ sequence: 3, closeTime: 2_000 })
    expect(clock.secondsPerLedger).toBe(5)
  })
})
