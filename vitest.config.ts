import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** Projects in the order of what they cost; each is the folder of the same name under test. */
const project = (name: string, settings: { testTimeout: number; maxWorkers?: number }) => ({
  test: { name, include: [`test/${name}/**/*.test.ts`], ...settings },
})

export default defineConfig({
  test: {
    // Separate processes: the Soroban host and the databases in process keep native memory of their own.
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: ['test/support/postgres.ts'].filter((file) => existsSync(file)),
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    projects: [
      project('unit', { testTimeout: 10_000 }),
      project('component', { testTimeout: 60_000 }),
    ],
  },
})
