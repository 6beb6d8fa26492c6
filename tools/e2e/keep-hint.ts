import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter } from 'vitest/node'

/** Has the text with the way into a world that stays. */
export const hintFile = (folder: string): string => join(folder, 'enter.txt')

/** Prints it when the tests have ended. */
export class KeepHint implements Reporter {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  onTestRunEnd(): void {
    process.stdout.write(readFileSync(hintFile(this.#folder), 'utf8'))
  }
}
