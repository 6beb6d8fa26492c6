import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/run/longest-first.ts'
import { ProgressReporter } from './test/support/run/progress-reporter.ts'
import { SummaryReporter } from './test/support/run/summary-reporter.ts'

/** Node itself runs the files, as it runs the sources: Vite would transform each again in every process. */
const experimental = { viteModuleRunner: false, nodeLoader: false }

interface ProjectSettings {
  readonly experimental?: typeof experimental
  readonly globalSetup?: string[]
  readonly isolate?: boolean
  /** Files within the folder. @default all of them */
  readonly files?: readonly string[]
}

const isNamed = (pattern: RegExp) => process.argv.slice(2).some((arg) => pattern.test(arg))

/** `make test-long` plays the files of long tests alone; a run that names one plays it too. */
const isLongRun = process.env['TEST_LONG'] !== undefined
const excluded = isLongRun || isNamed(/\.long\b/) ? [] : ['**/*.long.test.ts']

/**
 * Which tests on an API server a run plays: none, those of a few seconds each, or all, as `make test-cluster` and a run
 * that names a file of them do. Without an API server that was built before, they are skipped.
 */
const clusterTests =
  process.env['TEST_CLUSTER'] ?? (isLongRun || isNamed(/cluster/) ? 'all' : 'quick')
const quickClusterTests = [
  'api-call',
  'api-proxy',
  'tools',
  'kubernetes/crd/*',
  'kubernetes/runtime/{adoption,metadata-only,versions,watches,writes}',
  'kubernetes/plugin/pods-through-the-api-server',
  'packaging/{chart,argo-health,operator-pods}',
]

/** Projects in the order of what they cost; each is the folder of the same name under test. */
const project = (name: string, { files = ['**/*'], ...settings }: ProjectSettings = {}) => ({
  extends: true as const,
  test: {
    name,
    include: files.map((file) => `test/${name}/${file}${isLongRun ? '.long' : ''}.test.ts`),
    exclude: excluded,
    ...settings,
  },
})

const programs = ['test/support/postgres-setup.ts', 'test/support/programs/programs-setup.ts']

/** A test file with a Soroban host and a Postgres takes up to 1 GiB; past eight they wait for the disk. */
const MAX_WORKERS = 8
/** Tests wait for ledgers, leases and programs half of their time: on two cores, two workers leave that unused. */
const MIN_WORKERS = 4
const cores = availableParallelism()
/** Unit tests wait for nothing: a third worker on two cores only loads the libraries once more. */
const isUnitAlone = /^(--project[= ]unit ?)+$/.test(
  process.argv
    .join(' ')
    .match(/--project[= ]\S+ ?/g)
    ?.join('') ?? '',
)
const workers = isUnitAlone ? cores : Math.max(MIN_WORKERS, cores - 1)

export default defineConfig({
  test: {
    // Processes, not threads: the Soroban host and the databases in process keep native memory of their own.
    pool: 'forks',
    execArgv: ['--import', new URL('test/support/keep-compiled.js', import.meta.url).href],
    maxWorkers: Math.min(MAX_WORKERS, workers),
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 120_000 } },
    teardownTimeout: 20_000,
    // Shared machines stand still for seconds. What passes only at the second try is listed at the end.
    retry: process.env['CI'] ? 1 : 0,
    reporters: [
      process.stdout.isTTY ? 'default' : 'minimal',
      new ProgressReporter(),
      new SummaryReporter(),
    ],
    sequence: { sequencer: LongestFirst },
    setupFiles: process.env['PROFILE'] ? ['test/support/run/profile-setup.ts'] : [],
    projects: [
      // One process runs many files: loading the libraries again for each took half of the time.
      project('unit', { isolate: false, experimental }),
      project('component', { isolate: false, experimental, globalSetup: programs }),
      // Of a library that it uses, Vite's conditions name the TypeScript sources, of which Node strips no types.
      project('package', { globalSetup: ['test/package/support/install-setup.ts'] }),
      ...(clusterTests === 'none'
        ? []
        : [
            project('cluster', {
              experimental,
              globalSetup: [...programs, 'test/cluster/support/cluster-setup.ts'],
              ...(clusterTests === 'quick' && { files: quickClusterTests }),
            }),
          ]),
    ],
  },
})
