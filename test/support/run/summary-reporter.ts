import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import { Durations } from './durations.ts'

/** How many of the slowest test files the summary lists. */
const SLOWEST_FILES = 20

/**
 * Ends the output of a run with what people and scripts read: each reason for which tests were
 * skipped with their files, each test that passed only at the second try, the slowest files, each failure with the
 * first line of its error, and `N passed, N failed, N skipped`.
 * Tests that `-t` left out are not listed.
 */
export class SummaryReporter implements Reporter {
  #passed = 0
  /** A line for each. */
  readonly #failures: string[] = []
  #pattern: RegExp | undefined
  #skipped = 0
  /** By reason, the number of tests by file. */
  readonly #skips = new Map<string, Map<string, number>>()
  readonly #secondTries: string[] = []
  readonly #files: { readonly path: string; readonly ms: number }[] = []

  onInit(vitest: Vitest): void {
    this.#pattern = vitest.getGlobalTestNamePattern()
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.#addFailures('outside of any test', unhandledErrors)
    for (const module of modules) this.#countModule(module)
    process.stdout.write(`${this.#lines().join('\n')}\n`)
    if (process.env['WRITE_DURATIONS'] === '1') {
      new Durations().write(new Map(this.#files.map(({ path, ms }) => [path, ms / 1_000])))
    }
  }

  #countModule(module: TestModule): void {
    // Errors outside any test: the file does not load, or a hook around all of its tests throws.
    const file = module.relativeModuleId
    this.#addFailures(file, module.errors())
    for (const suite of module.children.allSuites()) {
      this.#addFailures(`${file} > ${suite.fullName}`, suite.errors())
    }
    for (const test of module.children.allTests()) this.#countTest(test)
    const { collectDuration, duration } = module.diagnostic()
    this.#files.push({ path: file, ms: collectDuration + duration })
  }

  #countTest(test: TestCase): void {
    const result = test.result()
    const name = `${test.module.relativeModuleId} > ${test.fullName}`
    if (result.state === 'passed') {
      this.#passed += 1
      if (test.diagnostic()?.flaky) this.#secondTries.push(`second try: ${name}`)
    } else if (result.state === 'skipped') {
      if (this.#isLeftOut(test)) return
      this.#countSkip(test.module.relativeModuleId, result.note ?? 'no reason given')
    } else {
      const [error = 'it did not finish: its process ended'] = result.errors ?? []
      this.#addFailures(name, [error])
    }
  }

  #addFailures(where: string, errors: readonly unknown[]): void {
    this.#failures.push(...errors.map((error) => `failed: ${where}: ${firstLine(error)}`))
  }

  #countSkip(file: string, reason: string): void {
    this.#skipped += 1
    const files = this.#skips.get(reason) ?? new Map<string, number>()
    this.#skips.set(reason, files.set(file, (files.get(file) ?? 0) + 1))
  }

  /** Vitest compares the pattern with the names of suites and test, joined by spaces. */
  #isLeftOut({ fullName }: TestCase): boolean {
    return this.#pattern?.test(fullName.replaceAll(' > ', ' ')) === false
  }

  #lines(): readonly string[] {
    const slowest = this.#files
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, SLOWEST_FILES)
      .map(({ path, ms }) => `slow: ${(ms / 1_000).toFixed(1).padStart(6)} s  ${path}`)
    const counts = `${this.#passed} passed, ${this.#failures.length} failed, ${this.#skipped} skipped`
    const selectsNone = this.#pattern !== undefined && this.#passed + this.#failures.length === 0
    const notes = selectsNone ? [`no test has a name that matches ${this.#pattern}`] : []
    const skips = [...this.#skips].flatMap(([reason, files]) => [
      `skipped: ${reason}`,
      ...[...files].map(([file, count]) => `  ${String(count).padStart(4)}  ${file}`),
    ])
    return [...slowest, ...skips, ...this.#secondTries, ...this.#failures, ...notes, counts]
  }
}

/** Of an error as vitest reports it, an object with its message, or whatever was thrown. */
function firstLine(error: unknown): string {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  return String(message).split('\n', 1)[0] ?? ''
}
