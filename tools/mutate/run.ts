import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest, type TestModule, type TestSpecification, type Vitest } from 'vitest/node'
import type { Mutant } from './mutants.ts'
import { type Result, report } from './report.ts'
import { instrumentSources } from './sources.ts'

/*
 * `make mutate`: breaks each rule of the payment path once and runs the tests that reach it; a mutant
 * that no test notices is listed. Options: `--only src/payments/checks`, `--sample 100` (the same ones each time),
 * `--tests test/unit` (more than once; all tests unless given), `--results FILE` (each result is a line of JSON;
 * a run with the same file goes on where the last one stopped), `--survivors FILE` (only the mutants that the
 * results of another tree do not have as killed).
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sample: { type: 'string' },
    tests: { type: 'string', multiple: true },
    results: { type: 'string' },
    survivors: { type: 'string' },
  },
})

const folder = mkdtempSync(join(tmpdir(), 'svc-mutate-'))
const activePath = join(folder, 'active')
const reachedPath = join(folder, 'reached')
process.env['SVC_MUTANT'] = activePath
process.env['SVC_MUTANT_REACHED'] = reachedPath
writeFileSync(activePath, '0')
writeFileSync(reachedPath, '')

// The global set-up of the tests runs in this process.
globalThis.__isActive = () => false

const vitest = await createVitest('test', {
  config: join(import.meta.dirname, 'vitest.config.ts'),
  watch: false,
})
try {
  const reachedBy = await firstRun(vitest)
  const chosen = choose(instrumentSources().mutants)
  const earlier = earlierResults(values.results)
  const results: Result[] = []
  for (const mutant of chosen) {
    const known = earlier.get(nameOf(mutant))
    if (known) {
      results.push({ mutant, end: known })
      continue
    }
    const result = await resultOf(vitest, mutant, reachedBy.get(mutant.id) ?? [])
    results.push(result)
    if (values.results) appendFileSync(values.results, `${JSON.stringify(result)}\n`)
    const { file, line, kind } = mutant
    print(`${results.length}/${chosen.length} ${result.end} ${file}:${line} ${kind}`)
  }
  print(report(results))
} finally {
  await vitest.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)

/** Says the same mutant in two trees: lines and ids change with every edit above it. */
function nameOf({ file, kind, code, occurrence }: Mutant): string {
  return JSON.stringify([file, kind, code, occurrence])
}

/** @returns how each mutant of an earlier run ended, by name */
function earlierResults(path: string | undefined): Map<string, Result['end']> {
  if (path === undefined || !existsSync(path)) return new Map()
  const lines = readFileSync(path, 'utf8').trim().split('\n').filter(Boolean)
  const results = lines.map((line) => JSON.parse(line) as Result)
  return new Map(results.map(({ mutant, end }) => [nameOf(mutant), end]))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Runs all tests with no mutant active. @returns by mutant, the test files that reach it, fastest first */
async function firstRun(runner: Vitest): Promise<Map<number, TestSpecification[]>> {
  const specifications = await runner.globTestSpecifications(values.tests)
  const { testModules, unhandledErrors } = await runner.runTestSpecifications(specifications)
  const failed = testModules.filter((module) => !module.ok())
  if (failed.length > 0 || unhandledErrors.length > 0) {
    const why = failed.flatMap(errorsOf).map(({ message }) => message)
    const files = failed.map((module) => module.relativeModuleId)
    throw new Error(`without a mutant these fail: ${files.join(', ')}: ${why.join('; ')}`)
  }
  const msOf = new Map(testModules.map((one) => [one.moduleId, one.diagnostic().duration]))
  const reachedBy = new Map<number, TestSpecification[]>()
  const lines = readFileSync(reachedPath, 'utf8').trim().split('\n')
  const reports = lines.map((line) => JSON.parse(line) as { file: string; mutants: number[] })
  for (const { file, mutants } of reports.toSorted((a, b) => cost(a.file) - cost(b.file))) {
    const specification = specifications.find(({ moduleId }) => moduleId === file)
    if (!specification) throw new Error(`${file} ran, and was not asked for`)
    for (const id of mutants) reachedBy.set(id, [...(reachedBy.get(id) ?? []), specification])
  }
  return reachedBy

  function cost(file: string): number {
    return msOf.get(file) ?? 0
  }
}

/** The mutants below `--only` that `--survivors` leaves; of these every n-th, so that `--sample` are left. */
function choose(mutants: readonly Mutant[]): readonly Mutant[] {
  const elsewhere = earlierResults(values.survivors)
  const candidates = mutants.filter(
    (mutant) =>
      mutant.file.startsWith(values.only) &&
      (values.survivors === undefined || (elsewhere.get(nameOf(mutant)) ?? 'killed') !== 'killed'),
  )
  const step = Math.max(1, candidates.length / Number(values.sample ?? candidates.length))
  return candidates.filter(
    (_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step),
  )
}

function errorsOf(module: TestModule): readonly { readonly message: string }[] {
  const tests = [...module.children.allTests('failed')]
  return [...module.errors(), ...tests.flatMap((one) => one.result().errors ?? [])]
}

/** Whether a test failed for another reason than a time limit, which a busy machine reaches too. */
function failsInTime(module: TestModule): boolean {
  const ofTime = /timed out in \d+ms|exited unexpectedly/
  return errorsOf(module).some(({ message }) => !ofTime.test(message))
}

/** Runs test files two by two, until one fails. */
async function resultOf(
  runner: Vitest,
  mutant: Mutant,
  specifications: readonly TestSpecification[],
): Promise<Result> {
  if (specifications.length === 0) return { mutant, end: 'unreached' }
  writeFileSync(activePath, String(mutant.id))
  for (let first = 0; first < specifications.length; first += 2) {
    const some = specifications.slice(first, first + 2)
    const { testModules, unhandledErrors } = await runner.runTestSpecifications(some)
    const failed = testModules.filter((module) => !module.ok())
    if (unhandledErrors.length === 0 && failed.length === 0) continue
    return { mutant, end: failed.some(failsInTime) ? 'killed' : 'timed out' }
  }
  return { mutant, end: 'survived' }
}
