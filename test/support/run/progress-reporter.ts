import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node'
import { Durations } from './durations.ts'

const EVERY_MS = 15_000
/** A run of fewer files is over before its progress is of interest. */
const FEW_FILES = 20

/** Prints from time to time how many files have run and about how long the rest takes. */
export class ProgressReporter implements Reporter {
  readonly #durations = new Durations()
  #root = ''
  #startedAt = 0
  #lastLineAt = 0
  #files = { done: 0, all: 0 }
  #seconds = { done: 0, all: 0 }

  onInit({ config }: Vitest): void {
    this.#root = config.root
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const paths = specifications.map(({ moduleId }) => moduleId.slice(this.#root.length + 1))
    this.#startedAt = performance.now()
    this.#lastLineAt = this.#startedAt
    this.#files = { done: 0, all: paths.length }
    this.#seconds = {
      done: 0,
      all: paths.reduce((sum, path) => sum + this.#durations.of(path), 0),
    }
  }

  onTestModuleEnd({ relativeModuleId }: TestModule): void {
    this.#files.done += 1
    this.#seconds.done += this.#durations.of(relativeModuleId)
    const now = performance.now()
    const { done, all } = this.#files
    if (all < FEW_FILES || done === all || now - this.#lastLineAt < EVERY_MS) return
    this.#lastLineAt = now
    process.stdout.write(`progress: ${done} of ${all} files, ${this.#left(now)}\n`)
  }

  #left(now: number): string {
    const { done, all } = this.#seconds
    const minutes = (((now - this.#startedAt) / done) * (all - done)) / 60_000
    return minutes < 1 ? 'less than a minute left' : `about ${Math.ceil(minutes)} min left`
  }
}
