import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { WORLD_VARIABLE } from '../../test/e2e/support/node-world.ts'
import { SummaryReporter } from '../../test/support/run/summary-reporter.ts'
import { KeepHint } from './keep-hint.ts'

// Ends the world when its tests have ended, unless `make e2e ARGS=--keep` shall keep it.
const { keep = false, folder } = JSON.parse(process.env[WORLD_VARIABLE] ?? '{}')
const FOREVER_MS = 2 ** 31 - 1

/**
 * So many test files at once: most of the time they wait for probes, leases and pauses between pods, and on two cores
 * more of them would wait for the processor.
 */
const BESIDE_EACH_OTHER = 3

/** The installation first, as nothing has been disturbed yet; then by path, so that what ends the world is last. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      `${moduleId.includes('/test/e2e/install/') ? 0 : 1} ${moduleId}`
    return files.toSorted((one, other) => (place(one) < place(other) ? -1 : 1))
  }
}

interface ProjectSettings {
  readonly include: readonly string[]
  readonly exclude?: readonly string[]
  readonly maxWorkers: number
  readonly groupOrder: number
}

const root = `${import.meta.dirname}/../..`

export const project = (
  name: string,
  { include, exclude = [], maxWorkers, groupOrder }: ProjectSettings,
) => ({
  test: {
    name,
    root,
    include: [...include],
    exclude: [...exclude],
    maxWorkers,
    sequence: { groupOrder },
    pool: 'forks' as const,
    // A fear takes a minute, and on a busy machine several.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // None runs twice: a payment that is lost at the first try is lost.
    retry: 0,
  },
})

const ofTheWholeWorld = ['test/e2e/fears/*.test.ts', 'test/e2e/zz-last/*.test.ts']

/** The tests on real nodes, which share one cluster. */
export default defineConfig({
  test: {
    root,
    globalSetup: ['test/e2e/global-setup.ts'],
    projects: [
      project('beside', {
        include: ['test/e2e/**/*.test.ts'],
        exclude: ofTheWholeWorld,
        maxWorkers: BESIDE_EACH_OTHER,
        groupOrder: 1,
      }),
      // Tests that disturb the whole world run alone, so that no other test's payments suffer.
      project('alone', { include: ofTheWholeWorld, maxWorkers: 1, groupOrder: 2 }),
    ],
    sequence: { sequencer: InOrder },
    teardownTimeout: keep ? FOREVER_MS : 60_000,
    reporters: ['default', new SummaryReporter(), ...(keep ? [new KeepHint(folder)] : [])],
  },
})
