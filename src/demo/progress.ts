import type { Writable } from 'node:stream'
import type { Clock } from '../core/clock.ts'
import { seconds } from './units.ts'

/** Tells what a start is doing: one line for each step that is done. */
export interface Progress {
  /** Runs a step; prints its line when it has succeeded. `detail` says in a few words what came of it. */
  step<T>(name: string, work: () => Promise<T>, detail: (value: T) => string): Promise<T>
}

export interface Terminal extends Pick<Writable, 'write'> {
  readonly isTTY?: boolean
}

/** Wide enough for the longest step name. */
const NAME_WIDTH = 18
const DETAIL_WIDTH = 48

/**
 * On a terminal the steps in progress also stand on a line of their own at the bottom; anywhere
 * else nothing is printed twice and no control character appears.
 */
export function progressOn(out: Terminal, clock: Clock): Progress {
  const running = new Set<string>()

  const wipe = () => {
    if (out.isTTY) out.write('\r\x1b[2K')
  }
  const show = () => {
    if (out.isTTY && running.size > 0) out.write(`  … ${[...running].join(', ')}`)
  }

  return {
    async step(name, work, detail) {
      running.add(name)
      wipe()
      show()
      const startedAt = clock.now()
      try {
        const value = await work()
        wipe()
        out.write(stepLine(name, detail(value), clock.now() - startedAt))
        return value
      } finally {
        running.delete(name)
        wipe()
        show()
      }
    },
  }
}

const stepLine = (name: string, detail: string, ms: number): string =>
  `  ✓ ${name.padEnd(NAME_WIDTH)}${detail.padEnd(DETAIL_WIDTH)} ${seconds(ms).padStart(7)}\n`
