import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const table = fileURLToPath(new URL('../../durations.json', import.meta.url))

/** Seconds of a file without a row: most files without one take less than the least that has one. */
const UNKNOWN_SECONDS = 0.5
/** Files faster than this have no row, so that the table stays short. */
const LEAST_SECONDS = 2

/** How long a test file took in a whole run, in seconds, by its path: for the order of files and the time that is left. */
export class Durations {
  readonly #seconds: Record<string, number>

  constructor() {
    this.#seconds = existsSync(table) ? JSON.parse(readFileSync(table, 'utf8')) : {}
  }

  of(path: string): number {
    return this.#seconds[path] ?? UNKNOWN_SECONDS
  }

  /** Writes what a run has measured into the table; rows of other files stay as long as the file exists. */
  write(measured: ReadonlyMap<string, number>): void {
    const rows = { ...this.#seconds, ...Object.fromEntries(measured) }
    const kept = Object.entries(rows)
      .filter(([path, seconds]) => seconds >= LEAST_SECONDS && existsSync(path))
      .map(([path, seconds]) => [path, Math.round(seconds)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1))
    writeFileSync(table, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
  }
}
