import { defineConfig } from 'vitest/config'
import { SummaryReporter } from '../../test/support/run/summary-reporter.ts'

/** `make test-image`: builds the image in every way that the documents name, and runs what it holds. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/../..`,
    include: ['test/e2e-image/**/*.test.ts'],
    globalSetup: ['test/e2e-image/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 1_800_000,
    retry: 0,
    reporters: ['default', new SummaryReporter()],
  },
})
