import { describe, expect, it } from 'vitest'
import { keepClosing } from '../../../src/localnet/ledger-timer.ts'
import { FakeClock } from '../../support/fake-clock.ts'

function pace(close: () => Promise<void>) {
  const clock = new FakeClock()
  const stop = new AbortController()
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const ended = keepClosing(close, { everyMs: 1000, clock, signal: stop.signal, log })
  return { clock, lines, stop: () => stop.abort(), ended }
}

describe('keepClosing', () => {
  it('closes once per period until it is stopped', async () => {
    let closed = 0
    const { clock, stop, ended } = pace(async () => {
      closed += 1
    })
    await clock.advance(999)
    expect(closed).toBe(0)
    await clock.advance(2001)
    expect(closed).toBe(3)
    stop()
    await ended
    await clock.advance(5000)
    expect(closed).toBe(3)
  })

  it('keeps the pace through a close that takes long, without making up for it', async () => {
    const times: number[] = []
    const started = new FakeClock().now()
    const running = pace(async () => {
      times.push(running.clock.now() - started)
      if (times.length === 1) await running.clock.sleep(2500)
    })
    await running.clock.advance(6000)
    running.stop()
    await running.ended
    expect(times).toEqual([1000, 3500, 4500, 5500])
  })

  it('goes on after a ledger that did not close, and says so', async () => {
    let tries = 0
    const { clock, lines, stop, ended } = pace(async () => {
      tries += 1
      if (tries === 1) throw new Error('no')
    })
    await clock.advance(2000)
    stop()
    await ended
    expect(tries).toBe(2)
    expect(lines).toEqual(['a ledger did not close: Error: no'])
  })
})
