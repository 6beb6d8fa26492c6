/**
 * The rotations of `make chaos`: a pool moves from sponsor to sponsor, many times in a row, on a real API server and the
 * embedded network, while stock buyers pay all the time and all replicas are killed. Prints Markdown, which
 * docs/reliability.md explains. Fails as the test of test/cluster/rotation does.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { RotationRow } from '../../test/cluster/rotation/support/rotation-plan.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    /** No rotation begins after that. */
    minutes: { type: 'string', default: '60' },
    /** The Facilitator serves the scheme upto: a rotation then has three phases more. */
    upto: { type: 'boolean', default: false },
    /** Plays the disturbances whose names match, a regular expression. */
    only: { type: 'string', default: '' },
    /** A file to which each rotation adds a line when it has ended. */
    rows: { type: 'string' },
  },
})
const folder = await mkdtemp(join(tmpdir(), 'svc-chaos-'))
const rowsFile = values.rows ?? join(folder, 'rows.jsonl')
const began = performance.now()
const child = spawn(
  'vitest',
  ['run', '--project', 'cluster', 'test/cluster/rotation/rotations.long.test.ts'],
  {
    stdio: ['ignore', 2, 2],
    env: {
      ...process.env,
      TEST_CLUSTER_BUILD: '1',
      ROTATION_ROUNDS: values.rounds,
      ROTATION_MINUTES: values.minutes,
      ROTATION_ROWS: rowsFile,
      ROTATION_ONLY: values.only,
      ...(values.upto && { ROTATION_SCHEME: 'upto' }),
    },
  },
)
const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
const lines = (await readFile(rowsFile, 'utf8').catch(() => '')).split('\n').filter(Boolean)
await rm(folder, { recursive: true })

const rows = lines.map((line): RotationRow => JSON.parse(line)).filter(({ isFinal }) => isFinal)
const byFault = Map.groupBy(rows, ({ fault }) => fault)
const minutes = ((performance.now() - began) / 60_000).toFixed(1)
process.stdout.write(
  [
    `Command: \`node tools/chaos/rotation.ts --rounds ${values.rounds} --minutes ${values.minutes}${values.upto ? ' --upto' : ''}${values.only && ` --only "${values.only}"`}\``,
    `Machine: ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}; ${minutes} minutes`,
    '',
    '| Meanwhile | Rotations | Payments | Requests | failed | for want of a channel | lost | doubled | untrue | Stroops unaccounted for | Longest, s |',
    `|${' -: |'.repeat(11).replace(' -: ', ' - ')}`,
    ...[...byFault].map(([fault, all]) => rowOf(fault, all)),
    rowOf('all', rows),
    '',
  ].join('\n'),
)
process.exitCode = code ?? 1

function rowOf(fault: string, all: readonly RotationRow[]): string {
  const sum = (count: (row: RotationRow) => number) => all.reduce((all, row) => all + count(row), 0)
  const stroops = sum(({ stroopsOff }) => Math.abs(Number(stroopsOff)))
  const counts = (
    ['payments', 'requests', 'failed', 'channelless', 'lost', 'doubled', 'untrue'] as const
  ).map((name) => sum((row) => row[name]))
  const longest = Math.max(0, ...all.map(({ seconds }) => seconds))
  return `| ${[fault, all.length, ...counts, stroops, longest].join(' | ')} |`
}
