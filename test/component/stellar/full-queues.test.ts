import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  type SimulationQueue,
  simulationQueue,
  type TokenQueue,
} from '../../../src/stellar/rpc/simulation-queue.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { callerOf, endpoint, honest, many, patience, patientRpc } from './counting-endpoint.ts'

describe('a large simulation', () => {
  const large = 'x'.repeat(48 * 1024)

  test('is sent alone, a few at a time, and delays no other request', async () => {
    const gate = Promise.withResolvers<void>()
    const { url, sizes, bytes, release } = await endpoint(honest, (text) =>
      text.length > 40_000 ? gate.promise : undefined,
    )
    release()
    const call = callerOf(url)
    const fat = Promise.all(many.slice(0, 30).map((n) => call(n, 'simulateTransaction', large)))
    expect(await Promise.all(many.map((n) => call(n)))).toEqual(many)
    expect(await Promise.all(many.map((n) => call(n, 'sendTransaction')))).toEqual(many)
    expect(bytes.filter((size) => size > 40_000)).toHaveLength(4)
    gate.resolve()
    expect(await fat).toEqual(many.slice(0, 30))
    // The others were batched all the while.
    expect(Math.max(...sizes)).toBe(25)
    expect(Math.max(...bytes)).toBeLessThan(50_000)
  })

  test('is refused once a hundred others wait, and nothing else is', async () => {
    const { url, release } = await endpoint(honest)
    const call = callerOf(url)
    const fat = Array.from({ length: 150 }, (_, n) => call(n, 'simulateTransaction', large))
    const other = call(1)
    const ends = Promise.allSettled(fat)
    await expect(Promise.race(fat.slice(110))).rejects.toMatchObject({
      kind: 'queue_full',
      wasRefused: true,
    })
    release()
    expect(await other).toBe(1)
    const answered = (await ends).filter(({ status }) => status === 'fulfilled')
    // Four in flight; the queue is bounded by bytes before its hundred requests.
    expect(answered).toHaveLength(4 + Math.floor((4 * 1024 * 1024) / (large.length + 60)))
  })
})

describe('a simulation that runs code of a stranger', () => {
  test.each([
    ['simulate_contract', 16],
    ['simulate_token', 1],
  ] as const)(
    'in %s: is sent alone, %i side by side, and delays no other simulation',
    async (queue, atOnce) => {
      const gate = Promise.withResolvers<void>()
      const { url, sizes, release } = await endpoint(honest, (text) =>
        text.includes('strange') ? gate.promise : undefined,
      )
      release()
      const call = patientRpc(url)
      const simulate = (n: number, padding: string, where: SimulationQueue | TokenQueue) =>
        call('simulateTransaction', { n, padding }, z.number(), undefined, where)
      const strange = Promise.all(many.map((n) => simulate(n, 'strange', queue)))
      const ordinary = await Promise.all(many.map((n) => simulate(n, 'usual', 'simulate')))
      expect(ordinary).toEqual(many)
      const singlesOfOrdinary = 2
      expect(sizes.filter((size) => size === 0).length).toBeLessThanOrEqual(
        atOnce + singlesOfOrdinary,
      )
      gate.resolve()
      expect(await strange).toEqual(many)
    },
  )

  test.each([
    [{ length: 16 * 1024 }, false, 'simulate'],
    [{ length: 16 * 1024 }, true, 'simulate_contract'],
    [{ length: 16 * 1024 + 1 }, true, 'simulate_large'],
    [{ length: 16 * 1024 + 1 }, false, 'simulate_large'],
  ] as const)('of $length: %s, %s: waits in %s', ({ length }, runsStrangersCode, queue) => {
    expect(simulationQueue('A'.repeat(length), { runsStrangersCode })).toBe(queue)
  })
})

describe('a full queue', () => {
  test('refuses simulations, and still takes sends and look-ups', async () => {
    const { url, release } = await endpoint(honest)
    const lengths = new Map<string, number>()
    const call = callerOf(url, { onQueueLength: (queue, length) => lengths.set(queue, length) })
    const simulations = Promise.allSettled(Array.from({ length: 5_000 }, (_, n) => call(n)))
    const sends = many.map((n) => call(n, n % 2 === 0 ? 'sendTransaction' : 'getTransaction'))
    expect(lengths.get('simulate')).toBe(4_000)
    release()
    expect(await Promise.all(sends)).toEqual(many)
    const ends = await simulations
    const reasons = ends.flatMap((each) => (each.status === 'rejected' ? [each.reason.kind] : []))
    expect(new Set(reasons)).toEqual(new Set(['queue_full']))
    expect(lengths.get('simulate')).toBe(0)
  })

  test('refuses what has waited for five seconds', async () => {
    const clock = new FakeClock()
    const { url, sizes, release } = await endpoint(honest)
    const call = callerOf(url, { clock })
    const fat = many.slice(0, 6).map((n) => call(n, 'simulateTransaction', 'x'.repeat(20_000)))
    const ends = Promise.allSettled(fat)
    await vi.waitFor(() => expect(sizes).toHaveLength(4), patience)
    await clock.advance(5_000)
    await expect(fat[5]).rejects.toMatchObject({ kind: 'queue_full' })
    release()
    expect((await ends).filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
    expect(sizes).toHaveLength(4)
  })
})
