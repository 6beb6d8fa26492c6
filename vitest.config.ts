import { defineConfig } from 'vitest/config'

/** Projects in the order of what they cost; each is the folder of the same name under test. */
const project = (name: string, settings: { testTimeout: number; globalSetup?: string[] }) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...settings },
})

export default defineConfig({
  test: {
    // Separate processes: the Soroban host and the databases in process keep native memory of their own.
    pool: 'forks',
    maxWorkers: 2,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    // Machines that merge are shared, and stand still for seconds. What passes only then is listed at the end.
    retry: process.env['CI'] ? 1 : 0,
    projects: [
      project('unit', { testTimeout: 60_000 }),
      project('component', {
        testTimeout: 60_000,
        globalSetup: ['test/support/postgres-setup.ts'],
      }),
      project('cluster', {
        testTimeout: 60_000,
        globalSetup: ['test/support/postgres-setup.ts', 'test/cluster/support/cluster-setup.ts'],
      }),
    ],
  },
})
