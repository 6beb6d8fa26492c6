import { defineConfig } from 'vitest/config'
import { SummaryReporter } from '../../test/support/summary-reporter.ts'

/**
 * The tests on a real node. They share one cluster and its payments, so one file runs after the other, and none
 * runs twice: a payment that is lost at the first try is lost.
 */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/e2e/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    retry: 0,
    reporters: ['default', new SummaryReporter()],
  },
})
