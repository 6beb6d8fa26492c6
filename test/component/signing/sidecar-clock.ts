/** A clock of a sidecar that a test moves while it runs. */
import { writeFileSync } from 'node:fs'
import type { SidecarFolder } from './sidecar-process.ts'

export interface SidecarClock {
  /** What starts a sidecar with this clock. */
  readonly prefix: readonly string[]
  /** @param ms ahead of this machine's clock; below 0: behind it */
  set(ms: number): void
}

/** It reads its offset from a file with each look at the clock. */
export function sidecarClock(folder: SidecarFolder): SidecarClock {
  const file = folder.path('clock-offset')
  const set = (ms: number) => writeFileSync(file, String(ms))
  set(0)
  const preload = `import { readFileSync } from 'node:fs'
    const now = Date.now
    Date.now = () => now() + Number(readFileSync(${JSON.stringify(file)}, 'utf8'))`
  const url = `data:text/javascript;base64,${Buffer.from(preload).toString('base64')}`
  return { prefix: ['env', `NODE_OPTIONS=--import=${url}`], set }
}
