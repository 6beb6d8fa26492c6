import { describe, expect, test } from 'vitest'
import { ClaimLine } from '../../../../../src/payments/engine/leases/claim-line.ts'

describe('ClaimLine', () => {
  test.each([
    { when: 'none when it is empty', line: [], before: 0 },
    { when: 'one of each other payer when it has none', line: ['b', 'b', 'b', 'c'], before: 2 },
    { when: 'its own, and one more of each other', line: ['a', 'b', 'b', 'b', 'c'], before: 4 },
    { when: 'all that are there when it has most', line: ['a', 'a', 'b', 'c'], before: 4 },
  ])('puts before a claim $when', ({ line: payers, before }) => {
    const line = new ClaimLine()
    for (const payer of payers) line.add(payer)
    expect(line.before('a')).toBe(before)
    expect(line.length).toBe(payers.length)
    for (const payer of payers) line.remove(payer)
    expect([line.before('a'), line.length]).toEqual([0, 0])
  })
})
