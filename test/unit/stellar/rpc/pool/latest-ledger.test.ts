import { describe, expect, it, test } from 'vitest'
import type { AnswerLedger } from '../../../../../src/stellar/rpc/pool/known-ledger.ts'
import { LatestLedger } from '../../../../../src/stellar/rpc/pool/latest-ledger.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

/** Of a single endpoint, unless a test names several. */
function ledgers(...endpoints: readonly string[]) {
  const clock = new FakeClock()
  const latest = new LatestLedger(clock, Math.max(1, endpoints.length))
  return {
    clock,
    latest: {
      observe: (answer: AnswerLedger, from = 'a') => latest.observe(answer, from),
      requiredOf: (from: string) => latest.requiredOf(from),
      get sequence() {
        return latest.sequence
      },
      get isDisputed() {
        return latest.isDisputed
      },
    },
  }
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

const HOUR = 3_600
const DAY = 24 * HOUR
/** Number of the first ledger. */
const FIRST = 1_000_000

/** What an honest endpoint answers when `passed` seconds have passed: a ledger closes every five seconds. */
const honest = (startedAt: number, passed: number) => ({
  sequence: FIRST + Math.floor(passed / 5),
  closeTime: startedAt + 5 * Math.floor(passed / 5),
})

const lies = (startedAt: number) => [
  { lie: 'a later close time', claim: { sequence: FIRST + 1, closeTime: startedAt + 29 * DAY } },
  {
    lie: 'a far higher ledger',
    claim: { sequence: FIRST + 2_400_000, closeTime: startedAt + 29 * DAY },
  },
  { lie: 'a reset', claim: { sequence: 5, closeTime: startedAt + DAY } },
]

describe('when an endpoint lies once about', () => {
  const start = new FakeClock().now() / 1_000
  test.each(
    [0, -DAY, DAY].flatMap((ahead) =>
      lies(start + ahead).map((each) => ({ ...each, ahead, startedAt: start + ahead })),
    ),
  )(
    '$lie, the other one goes on; network time is $ahead s ahead of the wall clock',
    async ({ claim, ahead, startedAt }) => {
      const { clock, latest } = ledgers('a', 'b')
      expect(latest.observe(honest(startedAt, 0), 'b')).toBe(true)
      expect(latest.observe(claim, 'a')).toBe(false)
      expect(latest.sequence).toBe(FIRST)
      for (const passed of [1, 2, 5].map((hours) => hours * HOUR)) {
        await clock.advance((startedAt - ahead + passed) * 1_000 - clock.now())
        const answer = honest(startedAt, passed)
        expect(latest.observe(answer, 'b')).toBe(true)
        expect(latest.observe(answer, 'a')).toBe(true)
        expect(latest.sequence).toBe(answer.sequence)
      }
    },
  )

  test.each(lies(start))('$lie and is the only one, it is believed again', async ({ claim }) => {
    const { clock, latest } = ledgers('a')
    latest.observe(honest(start, 0))
    expect(latest.observe(claim)).toBe(true)
    await clock.advance(HOUR * 1_000)
    const answer = honest(start, HOUR)
    expect(latest.observe(answer)).toBe(true)
    expect(latest.sequence).toBe(answer.sequence)
  })

  test.each(lies(start))('$lie as first answer, two others are believed', async ({ claim }) => {
    const { clock, latest } = ledgers('a', 'b', 'c')
    latest.observe(claim, 'a')
    await clock.advance(5_000)
    latest.observe(honest(start, 5), 'b')
    expect(latest.observe(honest(start, 5), 'c')).toBe(true)
    expect(latest.sequence).toBe(FIRST + 1)
  })
})

describe('of several endpoints', () => {
  const start = new FakeClock().now() / 1_000
  test.each(lies(start))('two are believed that both report $lie', ({ claim }) => {
    const { latest } = ledgers('a', 'b', 'c')
    latest.observe(honest(start, 0), 'c')
    expect(latest.observe(claim, 'a')).toBe(false)
    expect(latest.observe(claim, 'a')).toBe(false)
    expect(latest.observe({ ...claim, sequence: claim.sequence + 1 }, 'b')).toBe(true)
    expect(latest.sequence).toBe(claim.sequence + 1)
  })

  it('one that reports a reset is believed after two minutes without an answer of the others', async () => {
    const { clock, latest } = ledgers('a', 'b')
    latest.observe(honest(start, 0), 'b')
    const claim = (passed: number) => ({
      sequence: 5 + Math.floor(passed / 5),
      closeTime: start + 10 + passed,
    })
    expect(latest.observe(claim(0), 'a')).toBe(false)
    await clock.advance(119_000)
    expect(latest.observe(claim(119), 'a')).toBe(false)
    await clock.advance(1_000)
    expect(latest.observe(claim(120), 'a')).toBe(true)
    expect(latest.sequence).toBe(29)
  })

  it('one that reports a reset is not believed while another goes on', async () => {
    const { clock, latest } = ledgers('a', 'b')
    latest.observe(honest(start, 0), 'b')
    for (let passed = 60; passed <= 600; passed += 60) {
      await clock.advance(60_000)
      expect(latest.observe({ sequence: passed, closeTime: start + passed }, 'a')).toBe(false)
      expect(latest.observe(honest(start, passed), 'b')).toBe(true)
    }
  })

  it('one alone does not move the time on step by step', async () => {
    const { clock, latest } = ledgers('a', 'b')
    latest.observe(honest(start, 0), 'b')
    const claim = (step: number) => ({ sequence: FIRST + step, closeTime: start + 170 * step })
    expect(latest.observe(claim(1), 'a')).toBe(true)
    latest.observe(honest(start, 0), 'b')
    expect(latest.observe(claim(2), 'a')).toBe(false)
    await clock.advance(200_000)
    expect(latest.observe(honest(start, 200), 'b')).toBe(true)
    expect(latest.sequence).toBe(FIRST + 40)
  })

  it('one that has stopped does not keep the others from going on', async () => {
    const { clock, latest } = ledgers('a', 'b')
    const stopped = honest(start - HOUR, 0)
    latest.observe(stopped, 'a')
    for (let passed = 0; passed < 1_000; passed += 100) {
      latest.observe(stopped, 'a')
      const now = { sequence: FIRST + 720 + passed / 5, closeTime: start + passed }
      expect(latest.observe(now, 'b')).toBe(true)
      expect(latest.sequence).toBe(now.sequence)
      await clock.advance(100_000)
    }
  })
})

describe('a claim of one endpoint that the others contradict', () => {
  const start = new FakeClock().now() / 1_000

  /** Both honest endpoints answer every five seconds, after the one that claims. */
  async function contradicted(
    claim: (passed: number) => AnswerLedger,
    endpoints: readonly string[],
    answer = (passed: number): AnswerLedger => honest(start, passed),
  ) {
    const { clock, latest } = ledgers('a', ...endpoints)
    const disputedAt: number[] = []
    for (let passed = 0; passed <= 600; passed += 5) {
      latest.observe(claim(passed), 'a')
      for (const endpoint of endpoints) latest.observe(answer(passed), endpoint)
      if (latest.isDisputed) disputedAt.push(passed)
      await clock.advance(5_000)
    }
    return { latest, clock, disputedAt }
  }

  const racing = (passed: number) => ({ sequence: FIRST + passed, closeTime: start + passed + 30 })

  test.each([{ others: ['b'] }, { others: ['b', 'c'] }])(
    'about a ledger a second makes answers of $others too old for two minutes only',
    async ({ others }) => {
      const { latest, disputedAt } = await contradicted(racing, others)
      expect(disputedAt[0]).toBeGreaterThanOrEqual(120)
      expect(disputedAt[0]).toBeLessThanOrEqual(130)
      expect(disputedAt.at(-1)).toBe(600)
      for (const endpoint of others) expect(latest.requiredOf(endpoint)).toBe(FIRST + 120)
      expect(latest.sequence).toBe(FIRST + 120)
    },
  )

  it('is disputed also when each ledger of the other one comes without a close time first', async () => {
    const { clock, latest } = ledgers('a', 'b')
    for (let passed = 0; passed <= 200; passed += 5) {
      latest.observe(racing(passed), 'a')
      const { sequence, closeTime } = honest(start, passed)
      latest.observe({ sequence }, 'b')
      latest.observe({ sequence, closeTime }, 'b')
      await clock.advance(5_000)
    }
    expect(latest.isDisputed).toBe(true)
  })

  it('makes no answer too old for longer, even if it is ahead by a few ledgers only', async () => {
    const ahead = (passed: number) => honest(start, passed + 25)
    const { latest, disputedAt } = await contradicted(ahead, ['b', 'c'])
    expect(latest.requiredOf('b')).toBe(FIRST + 120)
    expect(disputedAt).toEqual([])
    expect(latest.sequence).toBe(FIRST + 125)
  })

  it('that is absurd, was the first answer and goes on is disputed after two minutes', async () => {
    const absurd = (passed: number) => ({
      sequence: ABSURD + passed / 5,
      closeTime: start + passed - 10,
    })
    const { disputedAt } = await contradicted(absurd, ['b'])
    expect(disputedAt[0]).toBe(120)
    expect(disputedAt.at(-1)).toBe(600)
  })

  test.each([
    { when: 'has stopped', answer: () => honest(start, 0) },
    { when: 'reads old ledgers', answer: (passed: number) => honest(start, 2 * passed - HOUR) },
  ])('is none when the other one $when', async ({ answer }) => {
    const { latest, disputedAt } = await contradicted(
      (passed) => honest(start, passed),
      ['b'],
      answer,
    )
    expect(disputedAt).toEqual([])
    expect(latest.requiredOf('b')).toBe(FIRST + 120)
  })

  it('is no longer disputed when a second endpoint has reached its ledger', async () => {
    const { latest, clock } = await contradicted(racing, ['b'])
    await clock.advance(60_000)
    const caughtUp = { sequence: FIRST + 601, closeTime: start + 660 }
    expect(latest.observe(caughtUp, 'b')).toBe(true)
    expect(latest.isDisputed).toBe(false)
    expect(latest.sequence).toBe(FIRST + 601)
  })
})
