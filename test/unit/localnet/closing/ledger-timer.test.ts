import { describe, expect, it } from 'vitest'
import { startLedgerTimer } from '../../../../src/localnet/closing/ledger-timer.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

function startTimer(close: () => Promise<void>) {
  const clock = new FakeClock()
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const timer = startLedgerTimer(close, { everyMs: 1000, clock, log })
  return { clock, lines, timer }
}

describe('startLedgerTimer', () => {
  it('closes once per period until it is stopped', async () => {
    let closed = 0
    const { clock, timer } = startTimer(async () => {
      closed += 1
    })
    await clock.advance(999)
    expect(closed).toBe(0)
    await clock.advance(2001)
    expect(closed).toBe(3)
    await timer[Symbol.asyncDispose]()
    await clock.advance(5000)
    expect(closed).toBe(3)
  })

  it('delays later ledgers after a slow close, and does not catch up', async () => {
    const times: number[] = []
    const started = new FakeClock().now()
    const running = startTimer(async () => {
      times.push(running.clock.now() - started)
      if (times.length === 1) await running.clock.sleep(2500)
    })
    await running.clock.advance(6000)
    await running.timer[Symbol.asyncDispose]()
    expect(times).toEqual([1000, 3500, 4500, 5500])
  })

  it('logs a ledger that did not close, and goes on', async () => {
    let tries = 0
    const { clock, lines, timer } = startTimer(async () => {
      tries += 1
      if (tries === 1) throw new Error('no')
    })
    await clock.advance(2000)
    await timer[Symbol.asyncDispose]()
    expect(tries).toBe(2)
    expect(lines).toEqual(['a ledger did not close: Error: no'])
  })
})
