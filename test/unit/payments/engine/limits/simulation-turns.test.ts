import { describe, expect, test } from 'vitest'
import { SimulationTurns } from '../../../../../src/payments/engine/limits/turns/simulation-turns.ts'
import type { SimulationQueue } from '../../../../../src/stellar/rpc/simulation-queue.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const never = new Promise<never>(() => undefined)

function open() {
  const clock = new FakeClock()
  const refused: string[] = []
  const turns = new SimulationTurns({ clock, onRefused: ({ name }) => refused.push(name) })
  let payers = 0
  const run = <T>(
    queue: SimulationQueue,
    caller: string,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ) => turns.run(queue, { caller, payer: `payer ${payers++}` }, work, signal)
  /** Simulations that hang. */
  const hang = (queue: SimulationQueue, caller: string, count: number) =>
    Array.from({ length: count }, () => {
      const hanging = run(queue, caller, () => never)
      hanging.catch(() => undefined)
      return hanging
    })
  return { clock, refused, run, hang }
}

describe('SimulationTurns', () => {
  test.each<SimulationQueue>(['simulate', 'simulate_contract', 'simulate_large'])(
    'run the one %s of a caller beside any number of another, which hang',
    async (queue) => {
      const { run, hang } = open()
      hang(queue, 'attacker', 90)
      expect(await run(queue, 'honest', async () => 'quote')).toBe('quote')
    },
  )

  test('keep large simulations, and those of contracts, from the places of the others', async () => {
    const { run, hang } = open()
    for (const caller of ['a', 'b', 'c', 'd']) {
      hang('simulate_contract', caller, 20)
      hang('simulate_large', caller, 20)
    }
    expect(await run('simulate', 'honest', async () => 'quote')).toBe('quote')
  })

  test('refuse a caller whose line is full as over its limit, and tell the others nothing', async () => {
    const { refused, hang } = open()
    const [, , , ...waiting] = hang('simulate_large', 'attacker', 104)
    await expect(waiting.at(-1)).rejects.toMatchObject({
      code: 'rate_limited',
      message: 'too many payments of this caller wait for a simulation',
    })
    expect(refused).toEqual(['simulation line'])
  })

  test('refuse what waited for five seconds as unavailable', async () => {
    const { clock, refused, run, hang } = open()
    for (const caller of ['a', 'b', 'c', 'd']) hang('simulate_large', caller, 1)
    const late = expect(run('simulate_large', 'e', () => never)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: 'too many requests wait for the Stellar network',
    })
    await clock.advance(5_000)
    await late
    expect(refused).toEqual(['simulation in time'])
  })

  test('free the place of a simulation that failed', async () => {
    const { run } = open()
    for (let n = 0; n < 10; n++) {
      const failing = run('simulate_large', 'a', () => Promise.reject(new Error('no answer')))
      await expect(failing).rejects.toThrow('no answer')
    }
    expect(await run('simulate_large', 'a', async () => 'quote')).toBe('quote')
  })

  test('do not begin a simulation that nothing needs any more, and free its place', async () => {
    const { run } = open()
    const gone = new AbortController()
    const begun: string[] = []
    const simulate = async () => begun.push('simulation')
    const granted = run('simulate_large', 'a', simulate, gone.signal)
    gone.abort(new Error('gone'))
    await expect(granted).rejects.toThrow('gone')
    expect(begun).toEqual([])
    const all = ['a', 'b', 'c', 'd'].map((caller) =>
      run('simulate_large', caller, async () => caller),
    )
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })
})
