import { defineConfig } from 'vitest/config'
import { SummaryReporter } from '../../test/support/run/summary-reporter.ts'

/** The alerts on real processes. The tests share one world and break it in turn: one file, no retry. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/e2e-alerts/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    retry: 0,
    reporters: ['default', new SummaryReporter()],
  },
})
