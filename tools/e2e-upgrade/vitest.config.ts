import { defineConfig } from 'vitest/config'
import e2e from '../e2e/vitest.config.ts'

/** As for `make e2e`; its tests build on each other, so the first that fails ends the run. */
export default defineConfig({
  test: {
    ...e2e.test,
    include: ['test/e2e-upgrade/**/*.test.ts'],
    globalSetup: [],
    bail: 1,
    testTimeout: 600_000,
  },
})
