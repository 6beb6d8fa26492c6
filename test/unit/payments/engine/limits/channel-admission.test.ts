import { describe, expect, test } from 'vitest'
import { ClaimLine } from '../../../../../src/payments/engine/leases/claim-line.ts'
import {
  ChannelAdmission,
  type Place,
} from '../../../../../src/payments/engine/limits/capacity/channel-admission.ts'

interface Facts {
  readonly channels: number
  readonly secondsPerLedger: number
  /** Claims that wait, of another payer each. */
  readonly waiting: number
  /** Channels per second, once known. */
  readonly pace?: number
}

const defaults: Facts = { channels: 8, secondsPerLedger: 5, waiting: 0 }

function admissionAt(overrides: Partial<Facts> = {}) {
  const facts = { ...defaults, ...overrides }
  const line = new ClaimLine()
  for (let index = 0; index < facts.waiting; index++) line.add(`waiting ${index}`)
  return new ChannelAdmission({
    waitMs: 5_000,
    channels: () => facts.channels,
    secondsPerLedger: () => facts.secondsPerLedger,
    queue: { length: facts.waiting, line, pace: { perSecond: () => facts.pace } },
  })
}

/** How many of many payments are admitted when none leaves. */
function admitted(admission: ChannelAdmission, payer = (_: number) => 'payer'): number {
  const places: Place[] = []
  const enter = () => admission.enter(payer(places.length))
  for (let place = enter(); place.isAdmitted; place = enter()) {
    places.push(place)
    if (places.length > 10_000) throw new Error('every payment is admitted')
  }
  return places.length
}

describe('ChannelAdmission', () => {
  test.each<{ when: string; facts: Partial<Facts>; expected: number }>([
    { when: 'as many as are free now and freed in the wait', facts: {}, expected: 16 },
    {
      when: 'as many as are freed in the wait, when some wait',
      facts: { waiting: 1 },
      expected: 7,
    },
    { when: 'none when as many wait', facts: { waiting: 8 }, expected: 0 },
    { when: 'more on faster ledgers', facts: { waiting: 1, secondsPerLedger: 1 }, expected: 39 },
    { when: 'no fewer on slow ones', facts: { waiting: 1, secondsPerLedger: 10 }, expected: 7 },
    { when: 'by the measured pace instead', facts: { waiting: 1, pace: 0.6 }, expected: 2 },
    { when: 'none while nothing is freed', facts: { waiting: 1, pace: 0 }, expected: 0 },
    { when: 'the first, even when no channel is known', facts: { channels: 0 }, expected: 2 },
  ])('admits $when', ({ facts, expected }) => {
    expect(admitted(admissionAt(facts))).toBe(expected)
  })

  test('admits another for each that leaves, however often it does', () => {
    const admission = admissionAt({ waiting: 7 })
    const first = admission.enter('payer')
    expect(first.isAdmitted).toBe(true)
    const refused = admission.enter('payer')
    expect(refused.isAdmitted).toBe(false)
    refused.leave()
    expect(admission.enter('payer').isAdmitted).toBe(false)
    first.leave()
    first[Symbol.dispose]()
    expect([admission.enter('payer').isAdmitted, admission.enter('payer').isAdmitted]).toEqual([
      true,
      false,
    ])
  })

  test('is open while another would be admitted, and counts only those that enter', () => {
    const admission = admissionAt({ waiting: 7 })
    expect(Array.from({ length: 20 }, () => admission.isOpenFor('payer'))).not.toContain(false)
    const place = admission.enter('payer')
    expect(admission.isOpenFor('payer')).toBe(false)
    place.leave()
    expect(admission.isOpenFor('payer')).toBe(true)
  })

  test('admits the first payment of another payer, however many of one wait', () => {
    const line = new ClaimLine()
    for (let index = 0; index < 50; index++) line.add('greedy')
    const pace = { perSecond: () => undefined }
    const admission = new ChannelAdmission({
      ...{ waitMs: 5_000, channels: () => 8, secondsPerLedger: () => 5 },
      queue: { length: 50, line, pace },
    })
    expect(admission.isOpenFor('greedy')).toBe(false)
    expect(admitted(admission, (index) => `modest ${index}`)).toBe(7)
  })

  test.each<{ facts: Partial<Facts>; seconds: number }>([
    { facts: {}, seconds: 1 },
    { facts: { waiting: 8 }, seconds: 1 },
    { facts: { waiting: 18, pace: 2 }, seconds: 5 },
    { facts: { waiting: 5_000, pace: 1 }, seconds: 60 },
    { facts: { waiting: 1, pace: 0 }, seconds: 60 },
  ])('asks to retry after $seconds s with $facts', ({ facts, seconds }) => {
    expect(admissionAt(facts).retryAfterSeconds).toBe(seconds)
  })
})
