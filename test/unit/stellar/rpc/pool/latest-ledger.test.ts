import { describe, expect, it, test } from 'vitest'
import { LatestLedger } from '../../../../../src/stellar/rpc/pool/latest-ledger.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

function ledgers() {
  const clock = new FakeClock()
  return { clock, latest: new LatestLedger(clock) }
}
const ABSURD = 4_000_000_000

describe('the latest ledger', () => {
  it('is the first one reported, whatever its number', () => {
    const { latest } = ledgers()
    expect(latest.observe({ sequence: ABSURD })).toBe(true)
    expect(latest.sequence).toBe(ABSURD)
  })

  test.each([
    { when: 'a few ledgers closed by hand', claim: { sequence: 112 }, rises: true },
    { when: 'more than that', claim: { sequence: 113 }, rises: false },
    {
      when: 'with close times of as many seconds',
      claim: { sequence: 150, closeTime: 1_038 },
      rises: true,
    },
    {
      when: 'with close times of fewer seconds',
      claim: { sequence: 150, closeTime: 1_037 },
      rises: false,
    },
    { when: 'an absurd number', claim: { sequence: ABSURD, closeTime: 1_005 }, rises: false },
  ])('rises at once by $when: $rises', ({ claim, rises }) => {
    const { latest } = ledgers()
    latest.observe({ sequence: 100, closeTime: 1_000 })
    expect(latest.observe(claim)).toBe(rises)
    expect(latest.sequence).toBe(rises ? claim.sequence : 100)
  })

  it('takes the first ledger with a close time, however far it is from those without', () => {
    const { latest } = ledgers()
    latest.observe({ sequence: 100 })
    expect(latest.observe({ sequence: 300 })).toBe(false)
    expect(latest.observe({ sequence: 300, closeTime: 1_000 })).toBe(true)
    expect(latest.observe({ sequence: 301 })).toBe(true)
    expect(latest.sequence).toBe(301)
  })

  it('rises by one a second that passes', async () => {
    const { clock, latest } = ledgers()
    latest.observe({ sequence: 100, closeTime: 1_000 })
    await clock.advance(100_000)
    expect(latest.observe({ sequence: 213 })).toBe(false)
    expect(latest.observe({ sequence: 212 })).toBe(true)
  })

  it('does not rise further by many claims than by one', () => {
    const { latest } = ledgers()
    latest.observe({ sequence: 100, closeTime: 1_000 })
    for (let sequence = 101; sequence < 200; sequence++) latest.observe({ sequence })
    expect(latest.sequence).toBe(112)
  })

  it('falls after a network reset: a lower one that closed later', () => {
    const { latest } = ledgers()
    latest.observe({ sequence: 5_000, closeTime: 1_000 })
    latest.observe({ sequence: 3, closeTime: 1_010 })
    expect(latest.sequence).toBe(3)
  })

  test.each([
    { when: 'without a close time', late: { sequence: 5_001 } },
    { when: 'with a close time', late: { sequence: 5_001, closeTime: 1_005 } },
  ])('stays low after a reset when an answer $when still has the old number', ({ late }) => {
    const { latest } = ledgers()
    latest.observe({ sequence: 5_000, closeTime: 1_000 })
    latest.observe({ sequence: 3, closeTime: 1_010 })
    expect(latest.observe(late)).toBe(false)
    expect(latest.sequence).toBe(3)
  })

  it('rises again when one endpoint claimed a low number and the others go on', () => {
    const { latest } = ledgers()
    latest.observe({ sequence: 5_000, closeTime: 1_000 })
    latest.observe({ sequence: 1, closeTime: 1_005 })
    expect(latest.observe({ sequence: 5_001, closeTime: 1_005 })).toBe(true)
    expect(latest.sequence).toBe(5_001)
  })

  it('believes no other reset for a minute after one that was none', async () => {
    const { clock, latest } = ledgers()
    latest.observe({ sequence: 5_000, closeTime: 1_000 })
    latest.observe({ sequence: 1, closeTime: 1_005 })
    latest.observe({ sequence: 5_001, closeTime: 1_005 })
    expect(latest.observe({ sequence: 1, closeTime: 1_010 })).toBe(false)
    expect(latest.sequence).toBe(5_001)
    await clock.advance(60_000)
    expect(latest.observe({ sequence: 3, closeTime: 1_065 })).toBe(true)
    expect(latest.sequence).toBe(3)
  })

  test.each([
    { when: 'in milliseconds', closeTime: 1_790_000_000_000 },
    { when: 'as first answer, in milliseconds', closeTime: 1_790_000_000_000, isFirst: true },
    { when: 'before that of an earlier ledger', closeTime: 0 },
  ])('stays when a close time is absurd: $when', ({ closeTime, isFirst = false }) => {
    const { latest } = ledgers()
    if (!isFirst) latest.observe({ sequence: 100, closeTime: 1_000 })
    expect(latest.observe({ sequence: 101, closeTime })).toBe(false)
    expect(latest.observe({ sequence: 101, closeTime: 1_005 })).toBe(true)
  })

  it('falls to the first answer with a close time when the one before it, without, was absurd', () => {
    const { latest } = ledgers()
    latest.observe({ sequence: ABSURD })
    latest.observe({ sequence: 100, closeTime: 1_000 })
    expect(latest.sequence).toBe(100)
  })
})
