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
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 5_000,
    include: [
      'test/unit/{payments,platform/database}/**/*.test.ts',
      'test/component/{payments,conformance,platform/{database,http}}/**/*.test.ts',
    ],
    exclude: ['**/*.long.test.ts'],
    globalSetup: ['test/support/postgres-setup.ts'],
    setupFiles: ['tools/mutate/active-mutant.ts'],
    reporters: [],
  },
})
