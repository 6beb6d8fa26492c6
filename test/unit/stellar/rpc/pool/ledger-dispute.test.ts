import { describe, expect, it, test } from 'vitest'
import type { AnswerLedger } from '../../../../../src/stellar/rpc/pool/known-ledger.ts'
import { LatestLedger } from '../../../../../src/stellar/rpc/pool/latest-ledger.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const FIRST = 1_000_000

/** What an honest endpoint answers when `passed` seconds have passed: a ledger closes every five seconds. */
const honest = (startedAt: number, passed: number) => ({
  sequence: FIRST + Math.floor(passed / 5),
  closeTime: startedAt + 5 * Math.floor(passed / 5),
})

describe('endpoints that agree again before two minutes are over', () => {
  const start = new FakeClock().now() / 1_000
  const TURN = 140

  /** Of every turn the first 110 s ahead by up to `most` ledgers, each of which closes later than the honest one. */
  const aheadBy = (most: number) => (passed: number) => {
    const { sequence, closeTime } = honest(start, passed)
    const lead = Math.min(most, Math.floor((passed % TURN) * 0.8))
    const isAhead = passed % TURN < 110 && lead > 0
    return isAhead ? { sequence: sequence + lead, closeTime: closeTime + 30 } : undefined
  }

  interface Sample {
    readonly passed: number
    readonly isDisputed: boolean
    /** Ledgers by which the honest answers are too old. */
    readonly behind: number
  }

  async function observe(
    endpoints: readonly string[],
    claim: (passed: number) => AnswerLedger | undefined,
  ) {
    const clock = new FakeClock()
    const latest = new LatestLedger(clock, 1 + endpoints.length)
    const samples: Sample[] = []
    for (let passed = 0; passed <= 5 * TURN; passed += 5) {
      const answer = honest(start, passed)
      latest.observe(claim(passed) ?? answer, 'a')
      for (const endpoint of endpoints) latest.observe(answer, endpoint)
      const behind = latest.requiredOf('b') - answer.sequence
      samples.push({ passed, isDisputed: latest.isDisputed, behind })
      await clock.advance(5_000)
    }
    return { samples, clock, latest }
  }

  const inTurn = (samples: readonly Sample[], turn: number) =>
    samples.filter(({ passed }) => Math.floor(passed / TURN) === turn)

  test.each([{ others: ['b'] }, { others: ['b', 'c'] }])(
    'are disputed in each further turn of one that is ahead of $others again and again',
    async ({ others }) => {
      const { samples } = await observe(others, aheadBy(100))
      expect(inTurn(samples, 0).filter(({ behind }) => behind > 12).length).toBeGreaterThan(15)
      for (const turn of [1, 2, 3, 4]) {
        const later = inTurn(samples, turn)
        expect(later.filter(({ isDisputed }) => isDisputed).length).toBeGreaterThan(15)
        expect(later.filter(({ behind }) => behind > 12)).toEqual([])
      }
    },
  )

  it('make no answer too old any more when one is ahead by a few ledgers again and again', async () => {
    const { samples } = await observe(['b'], aheadBy(5))
    expect(inTurn(samples, 0).some(({ behind }) => behind >= 5)).toBe(true)
    expect(samples.filter(({ passed, behind }) => passed > 2 * TURN && behind > 4)).toEqual([])
    expect(samples.filter(({ isDisputed }) => isDisputed)).toEqual([])
  })

  it('begin anew when no one was ahead for two minutes', async () => {
    const twice = (passed: number) => [0, 2].includes(Math.floor(passed / TURN))
    const { samples } = await observe(['b'], (passed) =>
      twice(passed) ? aheadBy(100)(passed) : undefined,
    )
    expect(inTurn(samples, 2).filter(({ behind }) => behind > 12).length).toBeGreaterThan(15)
    expect(inTurn(samples, 2).filter(({ passed }) => passed < 2 * TURN + 110)).not.toContainEqual(
      expect.objectContaining({ isDisputed: true }),
    )
  })

  it('make answers too old as ever when they differ by two ledgers, as honest ones do', async () => {
    const { samples } = await observe(['b'], aheadBy(2))
    const last = inTurn(samples, 4).map(({ behind }) => behind)
    expect(Math.max(...last)).toBe(2)
  })

  it('do not excuse one that has stopped a minute ago', async () => {
    const { latest, clock } = await observe(['b'], aheadBy(100))
    const stopped = honest(start, 5 * TURN)
    for (let passed = 5 * TURN + 5; passed <= 5 * TURN + 65; passed += 5) {
      latest.observe(aheadBy(100)(passed) ?? honest(start, passed), 'a')
      latest.observe(stopped, 'b')
      await clock.advance(5_000)
    }
    expect(latest.isDisputed).toBe(false)
    expect(latest.requiredOf('b') - stopped.sequence).toBeGreaterThan(12)
  })
})
