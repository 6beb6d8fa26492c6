import { startVitest, type TestCase, type TestModule } from 'vitest/node'

/*
 * Runs every test, or those whose path contains an argument:
 *   node test/support/run-tests.ts [path part]...
 * The last line is always `N passed, N failed, N skipped`, and the exit code is 0 only when
 * something ran and nothing failed.
 */

/** Counts a run as a reporter, for the line that scripts read. */
class Tally {
  passed = 0
  failed = 0
  readonly skips: string[] = []
  readonly secondTries: string[] = []

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.failed += unhandledErrors.length
    for (const module of modules) {
      // Errors outside any test: the file does not load, or a hook around all of its tests throws.
      this.failed += module.errors().length
      for (const suite of module.children.allSuites()) this.failed += suite.errors().length
      for (const test of module.children.allTests()) this.#count(test)
    }
  }

  #count(test: TestCase): void {
    const result = test.result()
    if (result.state === 'passed') {
      this.passed += 1
      if (test.diagnostic()?.flaky) {
        this.secondTries.push(`second try: ${test.module.relativeModuleId} > ${test.fullName}`)
      }
      return
    }
    if (result.state === 'skipped') {
      const why = result.note ?? 'no reason given'
      this.skips.push(`skipped: ${test.module.relativeModuleId} > ${test.fullName}: ${why}`)
      return
    }
    // Failed, or never finished because its process died.
    this.failed += 1
  }

  get lines(): readonly string[] {
    const { passed, failed, skips, secondTries } = this
    return [...skips, ...secondTries, `${passed} passed, ${failed} failed, ${skips.length} skipped`]
  }
}

const tally = new Tally()
const vitest = await startVitest(process.argv.slice(2), {
  run: true,
  watch: false,
  reporters: ['default', tally],
})
await vitest.close()
// Nothing ran: no test was found, or what all of them stand on did not start.
if (tally.passed + tally.failed === 0) tally.failed = 1
process.stdout.write(`${tally.lines.join('\n')}\n`)
// Exit at once: a handle that a global setup left open must not hold the result back.
process.exit(tally.failed > 0 ? 1 : 0)
