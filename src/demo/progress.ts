import type { Writable } from 'node:stream'
import type { Clock } from '../platform/core/time/clock.ts'

/** Shows the progress of a start: one line for each finished step. */
export interface Progress {
  /** Runs a step; prints its line when it has succeeded, with `detail` of its result. */
  step<T>(name: string, work: () => Promise<T>, detail: (value: T) => string): Promise<T>
}

export interface Terminal extends Pick<Writable, 'write'> {
  readonly isTTY?: boolean
}

/** Wide enough for the longest step name. */
const NAME_WIDTH = 18
const DETAIL_WIDTH = 48

/**
 * On a terminal the last line shows the steps in progress. Elsewhere that line and all control
 * characters are left out.
 */
export function progressOn(out: Terminal, clock: Clock): Progress {
  const running = new Set<string>()

  const clearLine = () => {
    if (out.isTTY) out.write('\r\x1b[2K')
  }
  const showRunning = () => {
    if (out.isTTY && running.size > 0) out.write(`  … ${[...running].join(', ')}`)
  }

  return {
    async step(name, work, detail) {
      running.add(name)
      clearLine()
      showRunning()
      const startedAt = clock.now()
      try {
        const value = await work()
        clearLine()
        out.write(stepLine(name, detail(value), clock.now() - startedAt))
        return value
      } finally {
        running.delete(name)
        clearLine()
        showRunning()
      }
    },
  }
}

/** Milliseconds as seconds with one decimal: `1.4 s`. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const stepLine = (name: string, detail: string, ms: number): string =>
  `  ✓ ${name.padEnd(NAME_WIDTH)}${detail.padEnd(DETAIL_WIDTH)} ${seconds(ms).padStart(7)}\n`
