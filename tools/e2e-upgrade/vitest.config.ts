import { defineConfig } from 'vitest/config'
import e2e, { project } from '../e2e/vitest.config.ts'

/** The configuration of `make e2e`; these tests build on each other, so the first that fails ends the run. */
export default defineConfig({
  test: {
    ...e2e.test,
    projects: [
      project('upgrade', {
        include: ['test/e2e-upgrade/**/*.test.ts'],
        maxWorkers: 1,
        groupOrder: 1,
      }),
    ],
    globalSetup: [],
    bail: 1,
  },
})
