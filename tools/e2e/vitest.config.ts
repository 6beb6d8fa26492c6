import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { WORLD_VARIABLE } from '../../test/e2e/support/node-world.ts'
import { SummaryReporter } from '../../test/support/summary-reporter.ts'
import { KeepHint } from './keep-hint.ts'

// Ends the world when its tests have ended, unless `make e2e ARGS=--keep` shall keep it.
const { keep = false, folder } = JSON.parse(process.env[WORLD_VARIABLE] ?? '{}')
const FOREVER_MS = 2 ** 31 - 1

/** The installation first, as nothing has been disturbed yet; then by path, so that what ends the world is last. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      `${moduleId.includes('/test/e2e/install/') ? 0 : 1} ${moduleId}`
    return files.toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
  }
}

/**
 * The tests on a real node. They share one cluster and its payments, so one file runs after the other, and none
 * runs twice: a payment that is lost at the first try is lost.
 */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/e2e/**/*.test.ts'],
    globalSetup: ['test/e2e/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    sequence: { sequencer: InOrder },
    // A fear takes a minute, and on a busy machine several.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    teardownTimeout: keep ? FOREVER_MS : 60_000,
    retry: 0,
    reporters: ['default', new SummaryReporter(), ...(keep ? [new KeepHint(folder)] : [])],
  },
})
