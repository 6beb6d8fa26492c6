import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deals, type LyingWorld, openLyingWorld, playRound } from './lying-round.ts'
import { takes } from './takes.ts'

/* A sample of lying-sellers.long.test.ts. */

let world: LyingWorld
beforeAll(async () => {
  world = await openLyingWorld()
}, 60_000)
afterAll(() => world?.[Symbol.asyncDispose]())

describe('sellers who lie', () => {
  test('are paid no more than the budget counts, however they take it', async () => {
    const sample = deals.filter((_, n) => n % 5 === 0)
    const { above, signed, taken } = await playRound(world, {
      deals: sample,
      allowed: sample.length,
    })
    expect(above).toBe(0n)
    expect(signed).toBe(sample.length)
    expect(Object.keys(taken).sort()).toEqual(takes.filter((each) => each !== 'nothing').sort())
  }, 60_000)

  test('get no signature above the budget', async () => {
    const { above, signed, calls } = await playRound(world, { deals, allowed: 5 })
    expect({ above, signed, calls }).toEqual({ above: 0n, signed: 5, calls: deals.length })
  }, 60_000)

  test('leave what the RPC has forgotten counted, until its owner ends it', async () => {
    const sample = deals.filter((_, n) => n % 11 === 3)
    const allowed = sample.length
    const { above, signed } = await playRound(world, { deals: sample, allowed, forgets: true })
    expect({ above, signed }).toEqual({ above: 0n, signed: sample.length })
  }, 60_000)
})
