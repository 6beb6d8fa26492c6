import { defineConfig } from 'vitest/config'
import { instrumentSources } from './sources.ts'

const { codeByPath } = instrumentSources()

/** Runs tests against sources that hold every mutant; `active-mutant.ts` switches one on. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform: (_code, id) => codeByPath.get(id),
    },
  ],
  test: {
    pool: 'forks',
    maxWorkers: 2,
    bail: 1,
    // A mutant that hangs is found out: the slowest test needs half of this on an idle machine.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 5_000,
    include: [
      'test/unit/{x402,facilitator,store,channels}/**/*.test.ts',
      'test/component/{store,channels,payments,conformance,health,usage,http}/**/*.test.ts',
    ],
    globalSetup: ['test/support/postgres-setup.ts'],
    setupFiles: ['tools/mutate/active-mutant.ts'],
    reporters: [],
  },
})
