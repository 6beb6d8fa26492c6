/** With PROFILE=FILE each test file adds a line to FILE that says what it cost; `tools/test-profile/run.ts` sums them up. */
import childProcess from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import pg from 'pg'
import { afterAll, expect } from 'vitest'

/** One line of the file. */
export interface FileCost {
  readonly file: string
  readonly wallSeconds: number
  /** Processor seconds of the process that ran the test file, and of the programs that it started and that have ended. */
  readonly user: number
  readonly system: number
  readonly childUser: number
  readonly childSystem: number
  readonly programs: number
  readonly databases: number
  readonly connections: number
}

type Count = 'programs' | 'databases' | 'connections'

/** One process runs many files, so each file counts from where the one before it ended. */
const shared: { counts?: Record<Count, number> } = globalThis as never
shared.counts ??= countFromNowOn()
const { counts } = shared

const before = { counts: { ...counts }, times: processorTimes(), at: performance.now() }

afterAll(() => {
  const spent = processorTimes().map((now, index) => now - (before.times[index] ?? 0))
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = spent
  const since = (count: Count) => counts[count] - before.counts[count]
  const cost: FileCost = {
    file: expect.getState().testPath?.replace(`${process.cwd()}/`, '') ?? '',
    wallSeconds: (performance.now() - before.at) / 1_000,
    ...{ user, system, childUser, childSystem },
    programs: since('programs'),
    databases: since('databases'),
    connections: since('connections'),
  }
  appendFileSync(process.env['PROFILE'] ?? '', `${JSON.stringify(cost)}\n`)
})

/** utime, stime, cutime and cstime of proc(5), in seconds. */
function processorTimes(): number[] {
  const [, after = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
  return after
    .split(' ')
    .slice(11, 15)
    .map((ticks) => Number(ticks) / 100)
}

function countFromNowOn(): Record<Count, number> {
  const counts = { programs: 0, databases: 0, connections: 0 }
  const counting = (object: object, name: string, count: (first: unknown) => void) => {
    const original = Reflect.get(object, name)
    Reflect.set(object, name, function counted(this: unknown, ...args: unknown[]) {
      count(args[0])
      return Reflect.apply(original, this, args)
    })
  }
  const countProgram = () => {
    counts.programs += 1
  }
  // `spawn`, `fork`, `exec` and `execFile` all call this method.
  counting(childProcess.ChildProcess.prototype, 'spawn', countProgram)
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    counting(childProcess, name, countProgram)
  }
  syncBuiltinESMExports()
  counting(pg.Client.prototype, 'connect', () => {
    counts.connections += 1
  })
  counting(pg.Client.prototype, 'query', (statement) => {
    if (String(Object(statement).text ?? statement).startsWith('create database'))
      counts.databases += 1
  })
  return counts
}
