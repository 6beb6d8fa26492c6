import { describe, expect, it } from 'vitest'
import { progressOn } from '../../../src/demo/progress.ts'
import type { Clock } from '../../../src/platform/core/time/clock.ts'

/** Half a second passes between any two calls. */
function steadyClock(): Clock {
  let now = 0
  return {
    now: () => {
      now += 500
      return now
    },
    sleep: async () => undefined,
  }
}

function terminal(isTTY: boolean) {
  const written: string[] = []
  return { written, out: { isTTY, write: (text: string) => written.push(text) > 0 } }
}

describe('progressOn', () => {
  it('writes only one plain line for each finished step when the output is no terminal', async () => {
    const { written, out } = terminal(false)
    const progress = progressOn(out, steadyClock())
    await progress.step(
      'Postgres',
      async () => 18,
      (version) => `version ${version}`,
    )
    expect(written).toEqual([`  ✓ Postgres          ${'version 18'.padEnd(48)}   0.5 s\n`])
  })

  it('shows the steps in progress on a terminal, and clears them before it writes', async () => {
    const { written, out } = terminal(true)
    const progress = progressOn(out, steadyClock())
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = progress.step(
      'network',
      () => promise,
      () => 'up',
    )
    await progress.step(
      'Postgres',
      async () => undefined,
      () => 'up',
    )
    resolve()
    await slow
    const screen = written.join('')
    expect(screen).toContain('  … network, Postgres')
    expect(lastLinesOf(screen)).toEqual([
      expect.stringMatching(/^ {2}✓ Postgres/),
      expect.stringMatching(/^ {2}✓ network/),
      '',
    ])
  })

  it('writes no line for a step that failed, and passes the error on', async () => {
    const { written, out } = terminal(false)
    const progress = progressOn(out, steadyClock())
    const failing = progress.step(
      'Postgres',
      () => Promise.reject(new Error('no')),
      () => 'up',
    )
    await expect(failing).rejects.toThrow('no')
    expect(written).toEqual([])
  })
})

/** The screen after every clearing of a line. */
const lastLinesOf = (screen: string): string[] =>
  screen.split('\n').map((line) => line.split('\r\x1b[2K').at(-1) ?? '')
